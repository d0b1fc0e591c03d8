package dev.weir.limit;

/**
 * A policy that can predict its decisions without taking anything: if {@link #nanosUntil} returns zero, the permits ahead can be
 * taken before the request and it still gets its own at that time, in whatever order they are taken, unless something is charged in
 * the meantime.
 */
interface Foretelling extends PermitPolicy {

    /**
     * Returns the nanoseconds until {@code permits} permits could have been taken one after another, each as soon as the limit
     * allows.
     *
     * @param permits how many, at least 1, possibly more than the capacity
     * @param nowNanos the time
     * @return as {@link #nanosUntil}
     */
    long nanosUntilOneByOne(long permits, long nowNanos);

    /** {@inheritDoc} Every such policy knows its capacity, also if that is the largest number of permits. */
    @Override
    default long nanosUntil(long ahead, int permits, long nowNanos) {
        return nanosUntilOneByOne(ahead + permits, nowNanos);
    }

    @Override
    default boolean findsWaitByTaking() {
        return false;
    }
}
