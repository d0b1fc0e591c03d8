package dev.weir.limit;

/**
 * A policy whose permits return with time, up to as many as it holds: what comes back late may have overflowed meanwhile, had it
 * never been taken.
 */
interface Refilled extends Foretelling {

    /**
     * Gives back a part of a request, or all of it.
     *
     * @param permits how many
     * @param taken how many were taken with them. What stays taken was missing, too, while the rest returned: so much less can
     *     have overflowed
     * @param takenAtNanos as for {@link PermitPolicy#giveBack}
     * @param nowNanos the time
     */
    void giveBack(int permits, int taken, long takenAtNanos, long nowNanos);

    @Override
    default void giveBack(int permits, long takenAtNanos, long nowNanos) {
        giveBack(permits, permits, takenAtNanos, nowNanos);
    }

    @Override
    default void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
        if (actual > taken) {
            charge(actual - taken, nowNanos);
        } else if (actual < taken) {
            giveBack(taken - actual, taken, takenAtNanos, nowNanos);
        }
    }
}
