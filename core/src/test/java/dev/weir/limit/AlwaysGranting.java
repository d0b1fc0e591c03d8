package dev.weir.limit;

import dev.weir.StatelessPolicy;

/** Has permits for everybody. */
abstract class AlwaysGranting extends StatelessPolicy {

    @Override
    public long tryTake(int permits, long nowNanos) {
        return TAKEN;
    }

    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        return 0;
    }

    @Override
    public long available(long nowNanos) {
        return Integer.MAX_VALUE;
    }
}
