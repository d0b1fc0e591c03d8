package dev.weir.limit;

/**
 * A policy that can predict its decisions without taking anything: if {@link #nanosUntil(long, int, long)} returns zero, the
 * permits ahead can be taken before the request and it still gets its own at that time, in whatever order they are taken, unless
 * something is charged in the meantime.
 */
interface Foretelling extends PermitPolicy {

    /** {@inheritDoc} Every such policy knows its capacity, also if that is the largest number of permits. */
    @Override
    default long nanosUntil(long ahead, int permits, long nowNanos) {
        return nanosUntil(ahead + permits, nowNanos);
    }

    @Override
    default boolean takesForAMoment() {
        return false;
    }
}
