package dev.weir;

import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A limiter of this library. All ways to ask it for permits that may have to wait lead to one. */
interface BuiltInLimiter extends RateLimiter, Member {

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
    @Override
    PermitRequest request(int permits, long maxWaitNanos, PermitListener listener);

    // As the member of a chain

    @Override
    default RateLimiter limiter() {
        return this;
    }

    @Override
    default boolean isOurs() {
        return true;
    }

    @Override
    default boolean tellsTime() {
        return true;
    }

    @Override
    default boolean keepsAgesBy(TimeSource clock) {
        return time() == clock;
    }

    @Override
    default boolean isOpen() {
        try {
            checkOpen();
            return true;
        } catch (IllegalStateException closed) {
            return false;
        }
    }

    @Override
    default long waitFrom(long laterNanos, long ahead, int permits) {
        return nanosUntil(ahead, permits, time().nanoTime() + laterNanos);
    }

    @Override
    default long leastWaitFrom(long laterNanos, Ahead ahead, int permits) {
        return nanosAtLeast(ahead, permits, time().nanoTime() + laterNanos);
    }

    @Override
    default long knownWaitFrom(long laterNanos, int permits) {
        return nanosUntilAsKnown(permits, time().nanoTime() + laterNanos);
    }

    @Override
    default long nanosUntilFirst() {
        return nanosUntilFirst(time().nanoTime());
    }

    // How long to wait, read without a request that observers would see

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
}
