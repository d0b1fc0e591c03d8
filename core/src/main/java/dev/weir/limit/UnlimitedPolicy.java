package dev.weir.limit;

/** Grants every request at once. */
final class UnlimitedPolicy implements Foretelling {

    private final long createdNanos;

    UnlimitedPolicy(long createdNanos) {
        this.createdNanos = createdNanos;
    }

    @Override
    public long tryTake(int permits, long nowNanos) {
        return TAKEN;
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
    public long[] availableOfEach(long nowNanos) {
        return new long[0];
    }

    @Override
    public long nanosUntilFull(long nowNanos) {
        return 0;
    }

    @Override
    public long nanosUntilOneByOne(long permits, long nowNanos) {
        return 0;
    }

    @Override
    public long nanosSinceFull(long nowNanos) {
        return Math.max(0, nowNanos - createdNanos);
    }

    @Override
    public void reconfigure(Limit limit, long nowNanos) {
        Kind.checked(Unlimited.class, limit);
    }
}
