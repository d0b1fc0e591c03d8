package dev.weir.rxjava;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.gate.CallPlan;
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
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Rate limiting for RxJava 3: a transformer for {@code compose} of a {@code Flowable}, {@code Observable}, {@code Single},
 * {@code Maybe} or {@code Completable}.
 *
 * <pre>{@code
 * urls.compose(RateLimit.of(5, ofSeconds(1))).flatMapSingle(client::fetch);            // each element, 5 in any second
 * urls.flatMapSingle(url -> client.fetch(url).compose(RateLimit.with(limiter)));       // each call, with all who share it
 * }</pre>
 *
 * <p><strong>Elements or calls.</strong> On a {@link Flowable} or {@link Observable} each element needs a permit. On a
 * {@link Single}, {@link Maybe} or {@link Completable} the subscription needs one: the source is subscribed once the permit is
 * granted, so a call does not begin earlier. Only {@link #weighted} and {@link #perKey} gate the element of a {@code Single} or
 * {@code Maybe} too, as cost and key are computed from the element, and so cannot gate a {@code Completable}.
 * {@link #perSubscription} gates the subscription of any of them, and {@link #withLease} a call whose cost turns out afterwards.
 *
 * <p><strong>Concurrency.</strong> With a limit whose permits come back when leases are closed, as with
 * {@link Limit#concurrency}, the lease of an element is closed when the {@code onNext} of downstream returns. That does not bound
 * calls that begin there: gate the call, by {@link #with} on the {@code Single} or by {@link #perSubscription}.
 *
 * <p><strong>Whose limiter.</strong> With {@code of}, a {@code Flowable} or {@code Observable} has a limiter for each
 * subscription; the others have one for each application of the operator, so that {@code repeat}, {@code retry} and several
 * subscribers share it, and a new one if the plugins have replaced the scheduler since. With {@code with}, all streams share the
 * given limiter.
 *
 * <p><strong>Backpressure.</strong> Demand is honoured, and a permit is taken only when there is both an element and demand for
 * it. Nothing is read ahead unless {@link StreamOptions#prefetch(int)} is set, except by {@code perKey}, which holds up to 256
 * elements. Operators downstream that read ahead ({@code observeOn}, {@code flatMap}) take elements as fast as permits allow,
 * whatever their own subscribers request: put the limit directly before what it protects. An {@code Observable} has no
 * backpressure: unless {@link StreamOptions#buffer(int)} is set, up to 1,024 of its elements are held, and one more fails the
 * stream, or is treated as {@link StreamOptions#whenFull(dev.weir.stream.WhenFull)} says. A full buffer fails with
 * {@link io.reactivex.rxjava3.exceptions.MissingBackpressureException}, a source that sends more than was requested with
 * {@link io.reactivex.rxjava3.exceptions.QueueOverflowException}.
 *
 * <p><strong>Threads.</strong> An element whose permit is available at once continues on the thread on which it arrived or was
 * requested. After a wait it continues on {@code Schedulers.computation()}, or on the executor of {@link StreamOptions#emitOn}:
 * never within a grant of a shared limiter, unless that executor runs tasks at once. A signal of this stream that arrives in
 * between takes the element along on its own thread. Streams share the threads of the scheduler: a subscriber that blocks delays
 * others, and needs {@code emitOn}, for example with {@code Schedulers.io()} as an {@link RxExecutor}. A call that has waited
 * begins there, too, whatever {@code subscribeOn} follows the limit: if it blocks, put {@code subscribeOn} before the limit, or
 * set {@code emitOn}.
 *
 * <p><strong>Time.</strong> The scheduler is looked up for each subscription, so a {@code TestScheduler} that the plugins
 * substitute works for streams that are subscribed under it. A limiter on the
 * {@link dev.weir.time.TimeSource#system() system time source} keeps real time even in a test with virtual time; there, give
 * limiters an {@link RxTime}.
 *
 * <p><strong>Errors.</strong> Errors of the source come after the held elements, unless {@link StreamOptions#errorsCutAhead()} is
 * set. One that is still held behind elements when downstream cancels is told to nobody, as with {@code observeOn}. A
 * refusal fails the stream with a {@link dev.weir.RateLimitExceededException}, and so does closing the limiter while the
 * stream waits; a limiter that was closed before fails it with an {@link IllegalStateException}. Cancelling while a permit
 * is awaited leaves the limiter as if it had never been asked. Errors that can no longer be delivered go to
 * {@code RxJavaPlugins}.
 *
 * <p><strong>Discard.</strong> Elements that are held when the stream is cancelled or fails, and those that are refused,
 * rejected or evicted, are reported to {@link StreamOptions#onDropped}.
 *
 * @param <T> the type of the elements
 */
public final class RateLimit<T> extends CallsWithLease
        implements FlowableTransformer<T, T>,
                ObservableTransformer<T, T>,
                SingleTransformer<T, T>,
                MaybeTransformer<T, T>,
                CompletableTransformer {

    private final ManyGating<T> ofMany;

    /** Asked once for each source, which may get a limiter of its own. */
    private final Supplier<AtMostOneGating<T>> ofAtMostOne;

    private RateLimit(ManyGating<T> ofMany, Supplier<AtMostOneGating<T>> ofAtMostOne) {
        this.ofMany = ofMany;
        this.ofAtMostOne = ofAtMostOne;
    }

    /** Gates all kinds of streams alike. */
    private static <T, G extends ManyGating<T> & AtMostOneGating<T>> RateLimit<T> by(G gating) {
        return new RateLimit<>(gating, () -> gating);
    }

    /**
     * Lets at most {@code permits} elements pass, or calls begin, in any interval of length {@code period}, wherever it begins. The
     * limiter belongs to one subscription of a {@code Flowable} or {@code Observable}; a {@code Single}, {@code Maybe} or
     * {@code Completable} has one for each {@code compose}. So inside {@code flatMap} and the like, before {@code retry} or
     * {@code repeat} of a {@code Flowable} or {@code Observable}, and for several subscribers of one, use {@link #with}.
     *
     * @param <T> the type of the elements
     * @param permits the most that any such interval admits
     * @param period the length of the interval
     * @return the operator, which creates its limiters
     * @throws IllegalArgumentException if either is not positive, or the period is longer than 2^61 - 1 nanoseconds
     */
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> of(int permits, @NonNull Duration period) {
        return of(Limit.of(permits, period));
    }

    /**
     * Enforces a limit, by a limiter of the stream's own as in {@link #of(int, Duration)}.
     *
     * @param <T> the type of the elements
     * @param limit the limit to enforce
     * @return the operator, which creates its limiters
     */
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> of(@NonNull Limit limit) {
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
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> of(@NonNull Limit limit, @NonNull StreamOptions options) {
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
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> with(@NonNull RateLimiter limiter) {
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
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> with(@NonNull RateLimiter limiter, @NonNull StreamOptions options) {
        ElementGating<T> elements = new ElementGating<>(GatePlan.of(limiter, options));
        CallGating<T> calls = new CallGating<>(CallPlan.of(limiter, 1, options));
        return new RateLimit<>(elements, () -> calls);
    }

    /**
     * Asks for as many permits as each element costs. A {@code Single} or {@code Maybe} is subscribed at once, and its element
     * waits.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @param permits computes the cost of an element, in permits; called once, on arrival. An element of cost zero passes without
     *     asking, also while the limiter is paused, and when it is closed; a negative cost or one above the capacity of the limit
     *     fails the stream with {@link IllegalArgumentException}
     * @return the operator
     */
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> weighted(
            @NonNull RateLimiter limiter, @NonNull ToIntFunction<? super T> permits) {
        return weighted(limiter, permits, StreamOptions.defaults());
    }

    /**
     * Asks for as many permits as each element costs, as in {@link #weighted(RateLimiter, ToIntFunction)}.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @param permits as in {@link #weighted(RateLimiter, ToIntFunction)}
     * @param options the options of the stream
     * @return the operator
     */
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> weighted(
            @NonNull RateLimiter limiter, @NonNull ToIntFunction<? super T> permits, @NonNull StreamOptions options) {
        return by(new ElementGating<T>(GatePlan.weighted(limiter, permits, options)));
    }

    /**
     * Asks the limiter of each element's key. An exhausted key does not delay other keys while there is room; elements of one key
     * keep their order. All keys share one buffer of 256 elements unless
     * {@link StreamOptions#prefetch(int)} or {@link StreamOptions#buffer(int)} say otherwise; when it is full of waiting
     * elements, the source waits too. Those of an {@code Observable}, which cannot wait, share one of 1,024 unless
     * {@code buffer} says otherwise. A {@code Single} or {@code Maybe} is subscribed at once, and its element waits.
     *
     * @param <T> the type of the elements
     * @param <K> the type of the keys
     * @param limiters the limiters to ask
     * @param key computes the key of an element; called once, on arrival. If it throws or returns null, the stream fails
     * @return the operator
     */
    @CheckReturnValue
    public static <T, K> @NonNull RateLimit<T> perKey(
            @NonNull PartitionedRateLimiter<K> limiters, @NonNull Function<? super T, ? extends K> key) {
        return perKey(limiters, key, StreamOptions.defaults());
    }

    /**
     * Asks the limiter of each element's key, as in {@link #perKey(PartitionedRateLimiter, Function)}.
     *
     * @param <T> the type of the elements
     * @param <K> the type of the keys
     * @param limiters the limiters to ask
     * @param key as in {@link #perKey(PartitionedRateLimiter, Function)}
     * @param options the options of the stream
     * @return the operator
     */
    @CheckReturnValue
    public static <T, K> @NonNull RateLimit<T> perKey(
            @NonNull PartitionedRateLimiter<K> limiters,
            @NonNull Function<? super T, ? extends K> key,
            @NonNull StreamOptions options) {
        Objects.requireNonNull(limiters, "limiters");
        return by(new ElementGating<T>(GatePlan.<T, K>perKey(limiters::forKey, key, options)));
    }

    /**
     * Gates the subscription, of a {@code Flowable} or {@code Observable} too: the source is subscribed when a permit is granted,
     * and the lease is closed when the source ends or is cancelled.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter that each subscription asks for one permit
     * @return the operator
     */
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> perSubscription(@NonNull RateLimiter limiter) {
        return perSubscription(limiter, StreamOptions.defaults());
    }

    /**
     * Gates the subscription, of a {@code Flowable} or {@code Observable} too: the source is subscribed when a permit is granted,
     * and the lease is closed when the source ends or is cancelled.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter that each subscription asks for one permit
     * @param options the options, of which {@code maxWait}, {@code onRefused} and {@code emitOn} have an effect
     * @return the operator
     */
    @CheckReturnValue
    public static <T> @NonNull RateLimit<T> perSubscription(
            @NonNull RateLimiter limiter, @NonNull StreamOptions options) {
        return by(new CallGating<T>(CallPlan.of(limiter, 1, options)));
    }

    /**
     * Applies the limit to a source.
     *
     * @param source the source, which honours backpressure
     * @return a flowable that honours backpressure
     */
    @Override
    @CheckReturnValue
    @BackpressureSupport(BackpressureKind.FULL)
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public @NonNull Flowable<T> apply(@NonNull Flowable<T> source) {
        return ofMany.gate(Objects.requireNonNull(source, "source"));
    }

    /**
     * Applies the limit to a source.
     *
     * @param source the source, which has no backpressure
     * @return an observable
     */
    @Override
    @CheckReturnValue
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public @NonNull Observable<T> apply(@NonNull Observable<T> source) {
        return ofMany.gate(Objects.requireNonNull(source, "source"));
    }

    /**
     * Applies the limit to a call, or, with {@code weighted} and {@code perKey}, to its element. If that is refused, the single
     * fails, also with {@link dev.weir.stream.OnRefused#DROP}, as it cannot complete empty.
     *
     * @param source the source: a call is subscribed once a permit is granted, a source whose element waits is subscribed at once
     * @return a single
     */
    @Override
    @CheckReturnValue
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public @NonNull Single<T> apply(@NonNull Single<T> source) {
        return ofAtMostOne.get().gate(Objects.requireNonNull(source, "source"));
    }

    /**
     * Applies the limit to a call, or, with {@code weighted} and {@code perKey}, to its element.
     *
     * @param source the source: a call is subscribed once a permit is granted, a source whose element waits is subscribed at once
     * @return a maybe
     */
    @Override
    @CheckReturnValue
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public @NonNull Maybe<T> apply(@NonNull Maybe<T> source) {
        return ofAtMostOne.get().gate(Objects.requireNonNull(source, "source"));
    }

    /**
     * Applies the limit to a call.
     *
     * @param source the source, subscribed once a permit is granted
     * @return a completable
     * @throws UnsupportedOperationException if the permits depend on an element, as a completable has none
     */
    @Override
    @CheckReturnValue
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public @NonNull Completable apply(@NonNull Completable source) {
        return ofAtMostOne.get().gate(Objects.requireNonNull(source, "source"));
    }
}
