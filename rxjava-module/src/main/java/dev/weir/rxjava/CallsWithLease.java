package dev.weir.rxjava;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.gate.CallPlan;
import dev.weir.gate.LeasedCall;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.annotations.BackpressureKind;
import io.reactivex.rxjava3.annotations.BackpressureSupport;
import io.reactivex.rxjava3.annotations.CheckReturnValue;
import io.reactivex.rxjava3.annotations.NonNull;
import io.reactivex.rxjava3.annotations.SchedulerSupport;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleSource;
import io.reactivex.rxjava3.functions.Function;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.util.Objects;
import org.reactivestreams.Publisher;

/**
 * The part of {@link RateLimit} that is applied to no source: it makes calls itself, each with its lease. Call these methods by that
 * name.
 */
public abstract sealed class CallsWithLease permits RateLimit {

    CallsWithLease() {}

    /**
     * Makes a call with a lease that it can settle, when it knows what it has used.
     *
     * <pre>{@code
     * Function<String, Single<Answer>> ask = prompt -> RateLimit.withLease(budget, 1_000, lease ->
     *         model.complete(prompt).doOnSuccess(answer -> lease.settle(answer.tokens())));
     * }</pre>
     *
     * <p>Each subscription asks for the permits. When they are granted, the function is called with the lease, on the thread on
     * which the call begins, and what it returns is subscribed. The lease is closed when that ends or is disposed of, before
     * downstream hears of the end. If the subscription is disposed of before, it is as if the permits had never been asked for; so
     * it is if the function throws or returns null, which fails the single, as there is no call then. So make no call in the
     * function itself, only in what it returns.
     *
     * @param <T> the type of the value
     * @param limiter the limiter to ask
     * @param permits how many permits each subscription asks for. A negative number, or one above the capacity of the limit, fails
     *     the single with {@link IllegalArgumentException}
     * @param call makes the call. A refusal fails the single instead, so its lease is always a grant
     * @return a single that makes a call for each subscription
     */
    @CheckReturnValue
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public static <T> @NonNull Single<T> withLease(
            @NonNull RateLimiter limiter,
            int permits,
            @NonNull Function<? super Lease, ? extends SingleSource<? extends T>> call) {
        return withLease(limiter, permits, call, StreamOptions.defaults());
    }

    /**
     * Makes a call as {@link #withLease(RateLimiter, int, Function)} does.
     *
     * @param <T> the type of the value
     * @param limiter the limiter to ask
     * @param permits how many permits each subscription asks for
     * @param call makes the call
     * @param options the options, of which {@code maxWait} and {@code emitOn} have an effect; a refused single always fails
     * @return a single that makes a call for each subscription
     */
    @CheckReturnValue
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public static <T> @NonNull Single<T> withLease(
            @NonNull RateLimiter limiter,
            int permits,
            @NonNull Function<? super Lease, ? extends SingleSource<? extends T>> call,
            @NonNull StreamOptions options) {
        Objects.requireNonNull(call, "call");
        LeasedCall<SingleSource<? extends T>, Throwable> leased = call::apply;
        return RxJavaPlugins.onAssembly(new SingleCalls<T>(
                (lease, observer) ->
                        Single.<T>defer(() -> leased.makeOrGiveBack(lease)).subscribe(observer),
                CallPlan.of(limiter, permits, options)));
    }

    /**
     * Makes a call that answers in parts, as {@link #withLease(RateLimiter, int, Function)} does.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @param permits how many permits each subscription asks for
     * @param call makes the call
     * @return a flowable that makes a call for each subscription
     */
    @CheckReturnValue
    @BackpressureSupport(BackpressureKind.FULL)
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public static <T> @NonNull Flowable<T> withLeaseMany(
            @NonNull RateLimiter limiter,
            int permits,
            @NonNull Function<? super Lease, ? extends Publisher<? extends T>> call) {
        return withLeaseMany(limiter, permits, call, StreamOptions.defaults());
    }

    /**
     * Makes a call that answers in parts, as {@link #withLease(RateLimiter, int, Function)} does.
     *
     * @param <T> the type of the elements
     * @param limiter the limiter to ask
     * @param permits how many permits each subscription asks for
     * @param call makes the call
     * @param options the options, of which {@code maxWait}, {@code onRefused} and {@code emitOn} have an effect
     * @return a flowable that makes a call for each subscription
     */
    @CheckReturnValue
    @BackpressureSupport(BackpressureKind.FULL)
    @SchedulerSupport(SchedulerSupport.COMPUTATION)
    public static <T> @NonNull Flowable<T> withLeaseMany(
            @NonNull RateLimiter limiter,
            int permits,
            @NonNull Function<? super Lease, ? extends Publisher<? extends T>> call,
            @NonNull StreamOptions options) {
        Objects.requireNonNull(call, "call");
        LeasedCall<Publisher<? extends T>, Throwable> leased = call::apply;
        return RxJavaPlugins.onAssembly(new FlowableCalls<T>(
                (lease, subscriber) ->
                        Flowable.<T>defer(() -> leased.makeOrGiveBack(lease)).subscribe(subscriber),
                CallPlan.of(limiter, permits, options)));
    }
}
