package dev.weir.reactor;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/**
 * Rate limiting for Reactor: for {@code transform} of a {@code Flux} or a {@code Mono}, and {@code transformGroups} of a
 * {@code ParallelFlux}.
 *
 * <pre>{@code
 * urls.transform(RateLimit.of(5, ofSeconds(1)))                              // each element, 5 in any second
 *     .flatMap(url -> client.fetch(url).transform(RateLimit.with(limiter)));     // each call, with all who share the limiter
 * }</pre>
 *
 * <p><strong>Elements or calls.</strong> On a {@link Flux} each element needs a permit. On a {@link Mono} the subscription
 * does: the source is subscribed once the permit is there, so a call has not begun before. Only {@link #weighted} and
 * {@link #perKey} gate the element of a {@code Mono} too, as cost and key are known from nothing else; and
 * {@link #perSubscription} gates the subscription of anything.
 *
 * <p><strong>Whose limiter.</strong> With {@code of}, a {@code Flux} has a limiter for each subscription (and each rail of a
 * {@code ParallelFlux}); a {@code Mono} has one for each application of the operator, so that {@code repeat}, {@code retry}
 * and several subscribers share it, and a fresh one where the scheduler has been exchanged since, as virtual time does. With
 * {@code with}, all streams share the one that is given.
 *
 * <p><strong>Backpressure.</strong> Demand is honoured, and a permit is taken only when there is an element and demand for
 * it. Nothing is read ahead unless {@link StreamOptions#prefetch(int)} says so. Operators downstream that read ahead
 * ({@code publishOn}, {@code flatMap}) take elements as fast as permits allow, whatever their own subscribers do: put the
 * limit last before what it protects. A buffer without room, and a source that sends more than it was asked for, fail with an
 * overflow error, as {@link reactor.core.Exceptions#isOverflow} recognizes it.
 *
 * <p><strong>Threads.</strong> An element whose permit is available at once continues on the thread that it arrived on, or on the
 * one that requested it. After a wait it continues on {@code Schedulers.parallel()}, or where {@link StreamOptions#emitOn} says:
 * never on the thread of another stream. The scheduler is looked up for each subscription, so virtual time works for streams that
 * are subscribed under it. A limiter of {@link dev.weir.time.TimeSource#system() real time} keeps real time, also in a test
 * with virtual time; give limiters {@link ReactorTime} there.
 *
 * <p><strong>Thread locals.</strong> Where {@link Hooks#enableAutomaticContextPropagation} was on when the operator was
 * applied, the source and what follows the limit run with the thread locals of their own subscriber's context, whoever's
 * thread brings the permit.
 *
 * <p><strong>Errors.</strong> Those of the source come after what is held, unless {@link StreamOptions#errorsCutAhead()}. A
 * refusal is a {@link dev.weir.RateLimitExceededException}; so is a limiter that is closed while the stream waits, and one
 * that was closed before is an {@link IllegalStateException}. Cancelling while a permit is awaited leaves the limiter as if it
 * had never been asked.
 *
 * <p><strong>Discard.</strong> Elements that are held when the stream is cancelled or fails, and those that are refused,
 * rejected or evicted, are discarded, after {@link StreamOptions#onDropped} has heard them.
 *
 * @param <T> the elements
 */
public final class RateLimit<T> implements UnaryOperator<Publisher<T>> {

    private final Gating<T> gating;

    private RateLimit(Gating<T> gating) {
        this.gating = gating;
    }

    /**
     * Lets at most {@code permits} elements pass in any interval of length {@code period}, wherever it begins.
     *
     * @param <T> the elements
     * @param permits the most that any such interval admits
     * @param period the length of the interval
     * @return the operator, with limiters of its own
     */
    public static <T> RateLimit<T> of(int permits, Duration period) {
        return of(Limit.of(permits, period));
    }

    /**
     * Keeps a limit.
     *
     * @param <T> the elements
     * @param limit what to keep
     * @return the operator, with limiters of its own
     */
    public static <T> RateLimit<T> of(Limit limit) {
        return of(limit, StreamOptions.defaults());
    }

    /**
     * Keeps a limit.
     *
     * @param <T> the elements
     * @param limit what to keep
     * @param options of the stream
     * @return the operator, with limiters of its own
     */
    public static <T> RateLimit<T> of(Limit limit, StreamOptions options) {
        return new RateLimit<>(new OwnGating<>(limit, options));
    }

    /**
     * Asks a limiter that may be shared with other streams, and with whoever else has it.
     *
     * @param <T> the elements
     * @param limiter the limiter to ask
     * @return the operator
     */
    public static <T> RateLimit<T> with(RateLimiter limiter) {
        return with(limiter, StreamOptions.defaults());
    }

    /**
     * Asks a limiter that may be shared with other streams, and with whoever else has it.
     *
     * @param <T> the elements
     * @param limiter the limiter to ask
     * @param options of the stream
     * @return the operator
     */
    public static <T> RateLimit<T> with(RateLimiter limiter, StreamOptions options) {
        return new RateLimit<>(SharedGating.with(limiter, options));
    }

    /**
     * Asks for as many permits as each element costs.
     *
     * @param <T> the elements
     * @param limiter the limiter to ask
     * @param permits what an element costs, computed once, on arrival; zero passes without asking; below zero or above the
     *     capacity of the limit fails the stream with {@link IllegalArgumentException}
     * @return the operator
     */
    public static <T> RateLimit<T> weighted(RateLimiter limiter, ToIntFunction<? super T> permits) {
        return weighted(limiter, permits, StreamOptions.defaults());
    }

    /**
     * Asks for as many permits as each element costs.
     *
     * @param <T> the elements
     * @param limiter the limiter to ask
     * @param permits as in {@link #weighted(RateLimiter, ToIntFunction)}
     * @param options of the stream
     * @return the operator
     */
    public static <T> RateLimit<T> weighted(
            RateLimiter limiter, ToIntFunction<? super T> permits, StreamOptions options) {
        return new RateLimit<>(SharedGating.weighted(limiter, permits, options));
    }

    /**
     * Asks the limiter of each element's key. A key that is exhausted delays no other while there is room; elements of one key
     * keep their order. All keys share one room, of 256 elements unless {@link StreamOptions#prefetch(int)} or
     * {@link StreamOptions#buffer(int)} say otherwise; when it is full of elements that wait, the source waits too.
     *
     * @param <T> the elements
     * @param <K> the keys
     * @param limiters the limiters to ask
     * @param key the key of an element, computed once, on arrival; if that throws or is null, the stream fails
     * @return the operator
     */
    public static <T, K> RateLimit<T> perKey(PartitionedRateLimiter<K> limiters, Function<? super T, ? extends K> key) {
        return perKey(limiters, key, StreamOptions.defaults());
    }

    /**
     * Asks the limiter of each element's key.
     *
     * @param <T> the elements
     * @param <K> the keys
     * @param limiters the limiters to ask
     * @param key as in {@link #perKey(PartitionedRateLimiter, Function)}
     * @param options of the stream
     * @return the operator
     */
    public static <T, K> RateLimit<T> perKey(
            PartitionedRateLimiter<K> limiters, Function<? super T, ? extends K> key, StreamOptions options) {
        Objects.requireNonNull(limiters, "limiters");
        return new RateLimit<>(SharedGating.<T, K>perKey(limiters::forKey, key, options));
    }

    /**
     * Gates the subscription, of a {@code Flux} too: the source is subscribed when there is a permit, and the lease is closed
     * when the source ends or is cancelled.
     *
     * @param <T> the elements
     * @param limiter the limiter that each subscription asks for one permit
     * @return the operator
     */
    public static <T> RateLimit<T> perSubscription(RateLimiter limiter) {
        return perSubscription(limiter, StreamOptions.defaults());
    }

    /**
     * Gates the subscription, of a {@code Flux} too: the source is subscribed when there is a permit, and the lease is closed
     * when the source ends or is cancelled.
     *
     * @param <T> the elements
     * @param limiter the limiter that each subscription asks for one permit
     * @param options {@code maxWait}, {@code onRefused} and {@code emitOn} matter
     * @return the operator
     */
    public static <T> RateLimit<T> perSubscription(RateLimiter limiter, StreamOptions options) {
        return new RateLimit<>(new CallGating<>(limiter, options));
    }

    /**
     * Puts the limit behind a source.
     *
     * @param source a {@code Mono}, or else any publisher
     * @return a {@code Mono} for a {@code Mono}, otherwise a {@code Flux}
     */
    @Override
    public Publisher<T> apply(Publisher<T> source) {
        Objects.requireNonNull(source, "source");
        return source instanceof Mono<T> mono ? gating.gate(asItself(mono)) : gating.gate(asItself(Flux.from(source)));
    }

    /*
     * After a wait the source is subscribed, or asked for more, on a thread that carries the thread locals of whoever made the
     * grant or set the timer. Where thread locals follow the context, writing it, even unchanged, sets them right.
     */

    private static <T> Mono<T> asItself(Mono<T> source) {
        return Hooks.isAutomaticContextPropagationEnabled() ? source.contextWrite(UnaryOperator.identity()) : source;
    }

    private static <T> Flux<T> asItself(Flux<T> source) {
        return Hooks.isAutomaticContextPropagationEnabled() ? source.contextWrite(UnaryOperator.identity()) : source;
    }
}
