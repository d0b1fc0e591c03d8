package dev.weir.limit;

/**
 * A policy whose permits return with time, up to a maximum: permits that are given back late may have overflowed in the meantime,
 * had they never been taken.
 */
interface Refilled extends Foretelling {

    /**
     * Gives back a part of a request, or all of it.
     *
     * @param permits how many to give back
     * @param taken how many the request took in all. Those that stay taken were missing, too, in the meantime: that many fewer
     *     can have overflowed
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
