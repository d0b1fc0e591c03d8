package dev.weir.reactor;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.gate.CallPlan;
import dev.weir.gate.GatePlan;
import dev.weir.gate.LeasedCall;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/**
 * Rate limiting for Reactor: an operator for {@code transform} of a {@code Flux} or a {@code Mono}, and for
 * {@code transformGroups} of a {@code ParallelFlux}.
 *
 * <pre>{@code
 * urls.transform(RateLimit.of(5, ofSeconds(1))).flatMap(client::fetch);              // each element, 5 in any second
 * urls.flatMap(url -> client.fetch(url).transform(RateLimit.with(limiter)));         // each call, with all who share the limiter
 * }</pre>
 *
 * <p><strong>Elements or calls.</strong> On a {@link Flux} each element needs a permit. On a {@link Mono} the subscription needs
 * one: the source is subscribed once the permit is granted, so a call does not begin earlier. Only {@link #weighted} and
 * {@link #perKey} gate the element of a {@code Mono} too, as cost and key are computed from the element: the source is subscribed
 * at once, and its element waits. {@link #perSubscription} gates the subscription of any publisher, and {@link #withLease} a call whose
 * cost turns out afterwards.
 *
 * <p><strong>Concurrency.</strong> Under a limit whose permits return when leases are closed, as {@link Limit#concurrency}, the
 * lease of an element is closed when downstream's {@code onNext} returns, which does not bound calls that begin there. The lease
 * of a call is closed when the call ends. So gate the call: {@code with} on the {@code Mono}, or {@link #perSubscription}.
 *
 * <p><strong>Whose limiter.</strong> With {@code of}, a {@code Flux} has a limiter for each subscription (and each rail of a
 * {@code ParallelFlux}); a {@code Mono} has one for each application of the operator, so that {@code repeat}, {@code retry} and
 * several subscribers share it, and a new one if the scheduler has been replaced since, as virtual time does. With
 * {@code transformDeferred} each subscription is an application, so {@code of} limits no {@code Mono} there. With {@code with}, all
 * streams share the given limiter.
 *
 * <p><strong>Backpressure.</strong> Demand is honoured, and a permit is taken only when there is both an element and demand for
 * it. Nothing is read ahead unless {@link StreamOptions#prefetch(int)} is set, except by {@code perKey}, which holds up to 256
 * elements. Operators downstream that read ahead ({@code publishOn}, {@code flatMap}) take elements as fast as permits allow,
 * whatever their own subscribers request: put the limit directly before what it protects. A full buffer, and a source that sends
 * more than was requested, fail with an overflow error, as {@link reactor.core.Exceptions#isOverflow} recognizes it.
 *
 * <p><strong>Parallel rails.</strong> {@code transformGroups} merges what its groups emit: what follows reads ahead, and runs on one
 * thread at a time. So put the call inside the group:
 * {@code .transformGroups(rail -> rail.transform(RateLimit.with(limiter)).flatMap(client::fetch))}.
 *
 * <p><strong>Threads.</strong> An element whose permit is available at once continues on the thread on which it arrived or was
 * requested. After a wait it continues on {@code Schedulers.parallel()}, or on the executor of {@link StreamOptions#emitOn}:
 * never within a grant of a shared limiter, unless that executor runs tasks at once. A signal of this stream that arrives in
 * between takes the element along on its own thread. The scheduler is looked up for each subscription, so virtual time works for
 * streams that are subscribed under it. A limiter on the {@link dev.weir.time.TimeSource#system() system time source} keeps
 * real time even in a test with virtual time; there, give limiters a {@link ReactorTime}.
 *
 * <p><strong>Blocking.</strong> Streams share the threads of the scheduler. A subscriber or a source that blocks there delays
 * others, and needs {@code emitOn(Schedulers.boundedElastic()::schedule)}. For a source, {@code subscribeOn} before the limit will
 * do, too. Behind the limit it has no effect on a source that has to wait, which is subscribed where the stream continues.
 *
 * <p><strong>Thread locals.</strong> If {@link Hooks#enableAutomaticContextPropagation} was on when the operator was applied, the
 * source and the operators after the limit run with the thread locals of their own subscriber's context, whichever thread grants
 * the permit.
 *
 * <p><strong>Errors.</strong> Errors of the source come after the held elements, unless {@link StreamOptions#errorsCutAhead()} is
 * set. One that is still held behind elements when downstream cancels is told to nobody, as with {@code publishOn}. A
 * refusal fails the stream with a {@link dev.weir.RateLimitExceededException}, and so does closing the limiter while the
 * stream waits; a limiter that was closed before fails it with an {@link IllegalStateException}. Cancelling while a permit
 * is awaited leaves the limiter as if it had never been asked.
 *
 * <p><strong>Discard.</strong> Elements that are held when the stream is cancelled or fails, and those that are refused, rejected
 * or evicted, are discarded, after {@link StreamOptions#onDropped} has received them.
 *
 * @param <T> the type of the elements
 */
public final class RateLimit<T> implements UnaryOperator<Publisher<T>> {

    private final Gating<T> ofFlux;
    /** Asked once for each mono: a limiter of the operator's own is one for each application. */
    private final Supplier<Gating<T>> ofMono;

    private RateLimit(Gating<T> ofFlux, Supplier<Gating<T>> ofMono) {
        this.ofFlux = ofFlux;
        this.ofMono = ofMono;
    }

    private RateLimit(Gating<T> ofBoth) {
        this(ofBoth, () -> ofBoth);
    }

    /**
     * Lets at most {@code permits} elements pass, or calls begin, in any interval of length {@code period}, wherever it begins. There
     * is a limiter for each subscription of a {@code Flux} or, on a {@code Mono}, one for each call of {@code transform}: inside
     * {@code flatMap}, before {@code retry} or {@code repeat} of a {@code Flux}, and for several subscribers of one, use {@link #with}.
     *
     * @param <T> the type of the elements
     * @param permits the most that any such interval admits
     * @param period the length of the interval
     * @return the operator, which creates its limiters
     * @throws IllegalArgumentException if either is not positive, or the period is longer than 2^61 - 1 nanoseconds
     */
    public static <T> RateLimit<T> of(int permits, Duration period) {
        return of(Limit.of(permits, period));
    }

    /**
     * Enforces a limit, by a limiter of the stream's own as in {@link #of(int, Duration)}.
     *
     * @param <T> the type of the elements
     * @param limit the limit to enforce
     * @return the operator, which creates its limiters
     */
    public static <T> RateLimit<T> of(Limit limit) {
        return of(limit, StreamOptions.defaults());
    }

    /**
     * Enforces a limit, by a limiter of the stream's own as in {@link #of(int, Duration)}.
     *
     * @param <T> the type of the elements
     * @param limit the limit to enforce
     * @param options the options of the stream
     * @return the operator, which creates its limiters
     */
    public static <T> RateLimit<T> of(Limit limit, StreamOptions options) {
        return new RateLimit<>(
                new ElementGating<>(GatePlan.own(limit, options)),
                () -> new CallGating<>(CallPlan.oneForAll(limit, options)));
    }

    /**
     * Asks a limiter that may be shared with other streams and other users.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @return the operator
     */
    public static <T> RateLimit<T> with(RateLimiter limiter) {
        return with(limiter, StreamOptions.defaults());
    }

    /**
     * Asks a limiter that may be shared with other streams and other users.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @param options the options of the stream
     * @return the operator
     */
    public static <T> RateLimit<T> with(RateLimiter limiter, StreamOptions options) {
        Gating<T> elements = new ElementGating<>(GatePlan.of(limiter, options));
        Gating<T> calls = new CallGating<>(CallPlan.of(limiter, 1, options));
        return new RateLimit<>(elements, () -> calls);
    }

    /**
     * Asks for as many permits as each element costs.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @param permits computes the cost of an element, in permits; called once, on arrival. An element of cost zero passes without
     *     asking, also while the limiter is paused, and when it is closed; a negative cost or one above the capacity of the limit
     *     fails the stream with {@link IllegalArgumentException}
     * @return the operator
     */
    public static <T> RateLimit<T> weighted(RateLimiter limiter, ToIntFunction<? super T> permits) {
        return weighted(limiter, permits, StreamOptions.defaults());
    }

    /**
     * Asks for as many permits as each element costs.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @param permits as in {@link #weighted(RateLimiter, ToIntFunction)}
     * @param options the options of the stream
     * @return the operator
     */
    public static <T> RateLimit<T> weighted(
            RateLimiter limiter, ToIntFunction<? super T> permits, StreamOptions options) {
        return new RateLimit<>(new ElementGating<>(GatePlan.weighted(limiter, permits, options)));
    }

    /**
     * Asks the limiter of each element's key. An exhausted key does not delay other keys while there is room; elements of one key
     * keep their order. All keys share one buffer of 256 elements unless {@link StreamOptions#prefetch(int)} or
     * {@link StreamOptions#buffer(int)} say otherwise; when it is full of waiting elements, the source waits too.
     *
     * @param <T> the type of the elements
     * @param <K> the type of the keys
     * @param limiters the limiters to ask
     * @param key computes the key of an element; called once, on arrival. If it throws or returns null, the stream fails
     * @return the operator
     */
    public static <T, K> RateLimit<T> perKey(PartitionedRateLimiter<K> limiters, Function<? super T, ? extends K> key) {
        return perKey(limiters, key, StreamOptions.defaults());
    }

    /**
     * Asks the limiter of each element's key.
     *
     * @param <T> the type of the elements
     * @param <K> the type of the keys
     * @param limiters the limiters to ask
     * @param key as in {@link #perKey(PartitionedRateLimiter, Function)}
     * @param options the options of the stream
     * @return the operator
     */
    public static <T, K> RateLimit<T> perKey(
            PartitionedRateLimiter<K> limiters, Function<? super T, ? extends K> key, StreamOptions options) {
        Objects.requireNonNull(limiters, "limiters");
        return new RateLimit<>(new ElementGating<>(GatePlan.<T, K>perKey(limiters::forKey, key, options)));
    }

    /**
     * Gates the subscription, of a {@code Flux} too: the source is subscribed when a permit is granted, and the lease is closed
     * when the source ends or is cancelled.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter that each subscription asks for one permit
     * @return the operator
     */
    public static <T> RateLimit<T> perSubscription(RateLimiter limiter) {
        return perSubscription(limiter, StreamOptions.defaults());
    }

    /**
     * Gates the subscription, of a {@code Flux} too: the source is subscribed when a permit is granted, and the lease is closed
     * when the source ends or is cancelled.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter that each subscription asks for one permit
     * @param options the options, of which {@code maxWait}, {@code onRefused} and {@code emitOn} have an effect
     * @return the operator
     */
    public static <T> RateLimit<T> perSubscription(RateLimiter limiter, StreamOptions options) {
        return new RateLimit<>(new CallGating<>(CallPlan.of(limiter, 1, options)));
    }

    /**
     * Makes a call with a lease that it can settle, when it knows what it has used.
     *
     * <pre>{@code
     * Function<String, Mono<Answer>> ask = prompt -> RateLimit.withLease(budget, 1_000, lease ->
     *         model.complete(prompt).doOnNext(answer -> lease.settle(answer.tokens())));
     * }</pre>
     *
     * <p>Each subscription asks for the permits. When they are granted, the function is called with the lease, on the thread on
     * which the call begins, and what it returns is subscribed. The lease is closed when that ends or is cancelled, before
     * downstream hears of the end. If the subscription is cancelled before, it is as if the permits had never been asked for; so it
     * is if the function throws or returns null, which fails the mono, as there is no call then. So make no call in the function
     * itself, only in what it returns.
     *
     * @param <T> the type of the element
     * @param limiter the limiter to ask
     * @param permits how many permits each subscription asks for. A negative number, or one above the capacity of the limit, fails
     *     the mono with {@link IllegalArgumentException}
     * @param call makes the call. A refusal fails the mono instead, so its lease is always a grant
     * @return a mono that makes a call for each subscription
     */
    public static <T> Mono<T> withLease(
            RateLimiter limiter, int permits, Function<? super Lease, ? extends Mono<? extends T>> call) {
        return withLease(limiter, permits, call, StreamOptions.defaults());
    }

    /**
     * Makes a call with a lease that it can settle, as {@link #withLease(RateLimiter, int, Function)} does.
     *
     * @param <T> the type of the element
     * @param limiter the limiter to ask
     * @param permits how many permits each subscription asks for
     * @param call makes the call
     * @param options the options, of which {@code maxWait}, {@code onRefused} and {@code emitOn} have an effect
     * @return a mono that makes a call for each subscription
     */
    public static <T> Mono<T> withLease(
            RateLimiter limiter,
            int permits,
            Function<? super Lease, ? extends Mono<? extends T>> call,
            StreamOptions options) {
        Objects.requireNonNull(call, "call");
        LeasedCall<Mono<? extends T>, RuntimeException> leased = call::apply;
        return LeasedMono.of(
                lease -> ThreadLocals.restoredFor(Mono.<T>defer(() -> leased.makeOrGiveBack(lease))),
                CallPlan.of(limiter, permits, options));
    }

    /**
     * Makes a call that answers in parts with a lease that it can settle, as {@link #withLease(RateLimiter, int, Function)} does.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @param permits how many permits each subscription asks for
     * @param call makes the call
     * @return a flux that makes a call for each subscription
     */
    public static <T> Flux<T> withLeaseMany(
            RateLimiter limiter, int permits, Function<? super Lease, ? extends Publisher<? extends T>> call) {
        return withLeaseMany(limiter, permits, call, StreamOptions.defaults());
    }

    /**
     * Makes a call that answers in parts with a lease that it can settle, as {@link #withLease(RateLimiter, int, Function)} does.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @param permits how many permits each subscription asks for
     * @param call makes the call
     * @param options the options, of which {@code maxWait}, {@code onRefused} and {@code emitOn} have an effect
     * @return a flux that makes a call for each subscription
     */
    public static <T> Flux<T> withLeaseMany(
            RateLimiter limiter,
            int permits,
            Function<? super Lease, ? extends Publisher<? extends T>> call,
            StreamOptions options) {
        Objects.requireNonNull(call, "call");
        LeasedCall<Publisher<? extends T>, RuntimeException> leased = call::apply;
        return LeasedFlux.of(
                lease -> ThreadLocals.restoredFor(Flux.defer(() -> Flux.<T>from(leased.makeOrGiveBack(lease)))),
                CallPlan.of(limiter, permits, options));
    }

    /**
     * Applies the limit to a source.
     *
     * @param source a {@code Mono}, or any other publisher
     * @return a {@code Mono} for a {@code Mono}, otherwise a {@code Flux}
     */
    @Override
    public Publisher<T> apply(Publisher<T> source) {
        Objects.requireNonNull(source, "source");
        return source instanceof Mono<T> mono
                ? new MonoRateLimit<>(ThreadLocals.restoredFor(mono), ofMono.get())
                : new FluxRateLimit<>(ThreadLocals.restoredFor(Flux.from(source)), ofFlux);
    }
}
