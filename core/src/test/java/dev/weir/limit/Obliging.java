package dev.weir.limit;

/** Has permits for everybody. */
abstract class Obliging implements PermitPolicy {

    @Override
    public long tryTake(int permits, long nowNanos) {
        return TAKEN;
    }

    @Override
    public long nanosUntil(long permits, long nowNanos) {
        return 0;
    }

    @Override
    public void giveBack(int permits, long takenAtNanos, long nowNanos) {}

    @Override
    public void charge(int permits, long nowNanos) {}

    @Override
    public long available(long nowNanos) {
        return Integer.MAX_VALUE;
    }

    @Override
    public long nanosUntilFull(long nowNanos) {
        return 0;
    }
}
