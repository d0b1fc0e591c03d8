package dev.weir.rxjava;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.gate.GatePlan;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.annotations.BackpressureKind;
import io.reactivex.rxjava3.annotations.BackpressureSupport;
import io.reactivex.rxjava3.annotations.CheckReturnValue;
import io.reactivex.rxjava3.annotations.NonNull;
import io.reactivex.rxjava3.annotations.SchedulerSupport;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.CompletableTransformer;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.FlowableTransformer;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.MaybeTransformer;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.ObservableTransformer;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleTransformer;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Rate limiting for RxJava 3: for {@code compose} of a {@code Flowable}, {@code Observable}, {@code Single}, {@code Maybe} or
 * {@code Completable}.
 *
 * <pre>{@code
 * urls.compose(RateLimit.of(5, ofSeconds(1)))                                // each element, 5 in any second
 *     .flatMap(url -> client.fetch(url).compose(RateLimit.with(limiter)));       // each of what is fetched, too
 * }</pre>
 *
 * <p><strong>Elements or calls.</strong> On a {@link Flowable} or {@link Observable} each element needs a permit. On a
 * {@link Single}, {@link Maybe} or {@link Completable} the subscription does: the source is subscribed once the permit is
 * there, so a call has not begun before. Only {@link #weighted} and {@link #perKey} gate the element of a {@code Single} or
 * {@code Maybe} too, as cost and key are known from nothing else, and so cannot gate a {@code Completable}; and
 * {@link #perSubscription} gates the subscription of anything.
 *
 * <p><strong>Whose limiter.</strong> With {@code of}, a {@code Flowable} or {@code Observable} has a limiter for each
 * subscription; the others have one for each application of the operator, so that {@code repeat}, {@code retry} and several
 * subscribers share it, and a fresh one where the plugins have exchanged the scheduler since. With {@code with}, all streams
 * share the one that is given.
 *
 * <p><strong>Backpressure.</strong> Demand is honoured, and a permit is taken only when there is an element and demand for
 * it. Nothing is read ahead unless {@link StreamOptions#prefetch(int)} says so. Operators downstream that read ahead
 * ({@code observeOn}, {@code flatMap}) take elements as fast as permits allow, whatever their own subscribers do: put the
 * limit last before what it protects. An {@code Observable} does not wait to be asked: unless {@link StreamOptions#buffer(int)}
 * says otherwise, up to 1,024 of its elements are held, and one more fails the stream. A buffer without room fails with
 * {@link io.reactivex.rxjava3.exceptions.MissingBackpressureException}, a source that sends more than it was asked for with
 * {@link io.reactivex.rxjava3.exceptions.QueueOverflowException}.
 *
 * <p><strong>Threads.</strong> An element whose permit is available at once continues on the thread that it arrived on, or on the
 * one that requested it. After a wait it continues on {@code Schedulers.computation()}, or where {@link StreamOptions#emitOn}
 * says: never on the thread of another stream. The scheduler is looked up for each subscription, so a {@code TestScheduler} that
 * the plugins put in its place works for streams that are subscribed under it. A limiter of
 * {@link dev.weir.time.TimeSource#system() real time} keeps real time, also in a test with virtual time; give limiters
 * {@link RxTime} there.
 *
 * <p><strong>Errors.</strong> Those of the source come after what is held, unless {@link StreamOptions#errorsCutAhead()}. A
 * refusal is a {@link dev.weir.RateLimitExceededException}; so is a limiter that is closed while the stream waits, and one
 * that was closed before is an {@link IllegalStateException}. Cancelling while a permit is awaited leaves the limiter as if it
 * had never been asked. Errors that come too late go to {@code RxJavaPlugins}.
 *
 * <p><strong>Discard.</strong> Elements that are held when the stream is cancelled or fails, and those that are refused,
 * rejected or evicted, are reported to {@link StreamOptions#onDropped}.
 *
 * @param <T> the elements
 */
public final class RateLimit<T>
        implements FlowableTransformer<T, T>,
                ObservableTransformer<T, T>,
                SingleTransformer<T, T>,
                MaybeTransformer<T, T>,
                CompletableTransformer {

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
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> of(int permits, @NonNull Duration period) {
        return of(Limit.of(permits, period));
    }

    /**
     * Keeps a limit.
     *
     * @param <T> the elements
     * @param limit what to keep
     * @return the operator, with limiters of its own
     */
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> of(@NonNull Limit limit) {
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
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> of(@NonNull Limit limit, @NonNull StreamOptions options) {
        return new RateLimit<>(new OwnGating<>(limit, options));
    }

    /**
     * Asks a limiter that may be shared with other streams, and with whoever else has it.
     *
     * @param <T> the elements
     * @param limiter the limiter to ask
     * @return the operator
     */
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> with(@NonNull RateLimiter limiter) {
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
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> with(@NonNull RateLimiter limiter, @NonNull StreamOptions options) {
        return new RateLimit<>(new SharedGating<>(limiter, options));
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
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> weighted(
            @NonNull RateLimiter limiter, @NonNull ToIntFunction<? super T> permits) {
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
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> weighted(
            @NonNull RateLimiter limiter, @NonNull ToIntFunction<? super T> permits, @NonNull StreamOptions options) {
        return new RateLimit<>(new ElementGating<>(chosen -> GatePlan.weighted(limiter, permits, chosen), options));
    }

    /**
     * Asks the limiter of each element's key. A key that is exhausted delays no other while there is room; elements of one key
     * keep their order. All keys share one room, of 256 elements ({@code Observable}: 1,024) unless
     * {@link StreamOptions#prefetch(int)} or {@link StreamOptions#buffer(int)} say otherwise; when it is full of elements that
     * wait, the source waits too, where it can.
     *
     * @param <T> the elements
     * @param <K> the keys
     * @param limiters the limiters to ask
     * @param key the key of an element, computed once, on arrival; if that throws or is null, the stream fails
     * @return the operator
     */
    @CheckReturnValue
    public static <T, K> @NonNull RateLimit<T> perKey(
            @NonNull PartitionedRateLimiter<K> limiters, @NonNull Function<? super T, ? extends K> key) {
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
    @CheckReturnValue
    public static <T, K> @NonNull RateLimit<T> perKey(
            @NonNull PartitionedRateLimiter<K> limiters,
            @NonNull Function<? super T, ? extends K> key,
            @NonNull StreamOptions options) {
        Objects.requireNonNull(limiters, "limiters");
        return new RateLimit<>(
                new ElementGating<>(chosen -> GatePlan.<T, K>perKey(limiters::forKey, key, chosen), options));
    }

    /**
     * Gates the subscription, of a {@code Flowable} or {@code Observable} too: the source is subscribed when there is a permit,
     * and the lease is closed when the source ends or is cancelled.
     *
     * @param <T> the elements
     * @param limiter the limiter that each subscription asks for one permit
     * @return the operator
     */
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> perSubscription(@NonNull RateLimiter limiter) {
        return perSubscription(limiter, StreamOptions.defaults());
    }

    /**
     * Gates the subscription, of a {@code Flowable} or {@code Observable} too: the source is subscribed when there is a permit,
     * and the lease is closed when the source ends or is cancelled.
     *
     * @param <T> the elements
     * @param limiter the limiter that each subscription asks for one permit
     * @param options {@code maxWait}, {@code onRefused} and {@code emitOn} matter
     * @return the operator
     */
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> perSubscription(
            @NonNull RateLimiter limiter, @NonNull StreamOptions options) {
        return new RateLimit<>(new CallGating<>(limiter, options));
    }

    /**
     * Puts the limit behind a source.
     *
     * @param source of elements that wait to be asked for
     * @return a flowable that honours backpressure
     */
    @Override
    @CheckReturnValue
    @BackpressureSupport(BackpressureKind.FULL)
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public @NonNull Flowable<T> apply(@NonNull Flowable<T> source) {
        return gating.gate(Objects.requireNonNull(source, "source"));
    }

    /**
     * Puts the limit behind a source.
     *
     * @param source of elements that do not wait
     * @return an observable
     */
    @Override
    @CheckReturnValue
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public @NonNull Observable<T> apply(@NonNull Observable<T> source) {
        return gating.gate(Objects.requireNonNull(source, "source"));
    }

    /**
     * Puts the limit behind a call.
     *
     * @param source to be subscribed by permit
     * @return a single
     */
    @Override
    @CheckReturnValue
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public @NonNull Single<T> apply(@NonNull Single<T> source) {
        return gating.gate(Objects.requireNonNull(source, "source"));
    }

    /**
     * Puts the limit behind a call.
     *
     * @param source to be subscribed by permit
     * @return a maybe
     */
    @Override
    @CheckReturnValue
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public @NonNull Maybe<T> apply(@NonNull Maybe<T> source) {
        return gating.gate(Objects.requireNonNull(source, "source"));
    }

    /**
     * Puts the limit behind a call.
     *
     * @param source to be subscribed by permit
     * @return a completable
     * @throws UnsupportedOperationException if the permits depend on an element, of which a completable has none
     */
    @Override
    @CheckReturnValue
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public @NonNull Completable apply(@NonNull Completable source) {
        return gating.gate(Objects.requireNonNull(source, "source"));
    }
}
