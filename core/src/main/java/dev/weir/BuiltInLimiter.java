package dev.weir;

import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A limiter of this library. All ways to ask it for permits that may have to wait lead to one; and a {@link Chain} reads its state
 * without requests that observers would see.
 */
interface BuiltInLimiter extends RateLimiter {

    @Override
    default CompletableFuture<Lease> acquire(int permits) {
        return LeaseFuture.request(this, permits, null);
    }

    @Override
    default PermitRequest acquire(int permits, PermitListener listener) {
        return request(permits, PermitEngine.UNBOUNDED, listener);
    }

    @Override
    default PermitRequest acquire(int permits, Duration maxWait, PermitListener listener) {
        return request(permits, Settings.nanos(maxWait, "maxWait"), listener);
    }

    /** As {@link #acquire(int, Duration, PermitListener)}, with {@link PermitEngine#UNBOUNDED} for no maximum wait. */
    PermitRequest request(int permits, long maxWaitNanos, PermitListener listener);

    // As the member of a chain

    TimeSource time();

    void checkOpen();

    /** As {@link dev.weir.limit.PermitPolicy#nanosUntil(long, int, long)}, including the time that a pause still lasts. */
    long nanosUntil(long ahead, int permits, long nowNanos);

    /** As {@link dev.weir.limit.PermitPolicy#nanosAtLeast}, including the time that a pause still lasts. */
    long nanosAtLeast(Ahead ahead, int permits, long nowNanos);

    /**
     * As {@link #nanosUntil} with nobody ahead; but while a store is being asked for the permits, this is the least that is known: zero
     * if nothing is.
     */
    long nanosUntilAsKnown(int permits, long nowNanos);

    /**
     * Returns how long until there are permits for the first of the requests that wait here, if it were alone: zero if none waits,
     * {@link PermitEngine#UNBOUNDED} if time does not tell. Any thread; a hint.
     */
    long nanosUntilFirst(long nowNanos);

    /**
     * Takes permits for a request of a chain that takes those of the other members at the same time. Returns null if they are not
     * available; that is neither counted nor observed. Gives way to older requests that wait here. Calls no user code except the
     * policy.
     */
    @Nullable
    Lease takeForChain(ChainRequest chainRequest);

    /** Adds the engines that its permits come from at present, if any, one entry for each permit that a request for one takes. */
    void addEngines(List<PermitEngine> engines);

    /** Makes the drain serve the waiting requests, as permits may be available for them. */
    void signal();
}
