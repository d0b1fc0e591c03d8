package dev.weir.gate;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * Where elements leave a stream: downstream, if their permits can be taken at once or have been granted, or lost. Called only inside
 * the drain.
 */
final class Outlet<T> {

    private final GatedStream<T> stream;
    private final Demand demand;
    private final Intake intake;
    private final Losses<T> losses;
    private final StreamFailure failure;

    /** Null unless the limiter is the stream's own. */
    private final @Nullable DeferredPermits deferred;

    Outlet(
            LimiterPlan<T> plan,
            GatedStream<T> stream,
            Demand demand,
            Intake intake,
            Losses<T> losses,
            StreamFailure failure) {
        this.stream = stream;
        this.demand = demand;
        this.intake = intake;
        this.losses = losses;
        this.failure = failure;
        this.deferred = plan.newDeferredPermits();
    }

    /** Whether permits are taken when their elements go, and a request only tells that there is one. */
    boolean isDeferred() {
        return deferred != null;
    }

    /** Takes permits immediately and without a lease; returns false if they are not available. */
    boolean consume(RateLimiter limiter, int cost) {
        return deferred != null ? deferred.use() : cost == 0 || limiter.tryConsume(cost);
    }

    /**
     * Like {@link #consume}, but also false if the limiter fails: the element is then requested again where failures are handled.
     */
    boolean consumeIfItCan(RateLimiter limiter, int cost) {
        try {
            return consume(limiter, cost);
        } catch (Throwable failed) {
            return false;
        }
    }

    /** Takes the permits of the elements that have gone, if they were deferred. Called before the drain is left. */
    void takeDeferred() {
        if (deferred != null) {
            try {
                deferred.takeUsed();
            } catch (Throwable failed) {
                failure.set(failed);
            }
        }
    }

    /** Delivers an element, which has its permit, downstream. */
    void pass(T element) {
        if (stream.next(element)) {
            demand.use();
        }
        intake.gone();
    }

    /** Delivers an element with its grant, which is closed after that. */
    void pass(T element, Lease lease) {
        try {
            pass(element);
        } finally {
            giveBack(lease::close);
        }
    }

    /** Delivers an element if its permits are granted at once. Returns false if they are not, or the limiter fails. */
    boolean passIfGranted(T element, RateLimiter limiter, int cost) {
        Lease lease = null;
        try {
            if (limiter.availablePermits() < cost) {
                return false; // without the refusal that a miss would count as
            }
            lease = NoLease.unlessGiven(limiter.tryAcquire(cost), limiter);
            if (!lease.isAcquired()) {
                return false;
            }
        } catch (Throwable failed) {
            if (lease != null) { // it cannot be read, and may be a grant
                failure.set(failed);
                giveBack(lease::giveBack);
            }
            return false;
        }
        pass(element, lease);
        return true;
    }

    /** Returns permits to the limiter. If that fails, the stream fails, although the element has its permit. */
    void giveBack(Runnable permits) {
        try {
            permits.run();
        } catch (Throwable failed) {
            failure.set(failed);
        }
    }

    /** Drops an element that is not to be delivered. */
    void lose(T element) {
        losses.drop(element);
        intake.gone();
    }
}
