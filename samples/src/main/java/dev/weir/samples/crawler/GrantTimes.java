package dev.weir.samples.crawler;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;

/**
 * A limit that remembers the time of its last grant, by the clock on which it decides: reading a clock afterwards may be delayed.
 * For a single stream, which processes each element before the next one is granted.
 */
final class GrantTimes implements Limit {

    private final Limit limit;
    private volatile long latestNanos;

    GrantTimes(Limit limit) {
        this.limit = limit;
    }

    long latestNanos() {
        return latestNanos;
    }

    @Override
    public int capacity() {
        return limit.capacity();
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        PermitPolicy kept = limit.newPolicy(nowNanos);
        return new PermitPolicy() {

            @Override
            public long tryTake(int permits, long nowNanos) {
                long wait = kept.tryTake(permits, nowNanos);
                if (wait == TAKEN && permits > 0) {
                    latestNanos = nowNanos;
                }
                return wait;
            }

            @Override
            public void giveBack(int permits, long takenAtNanos, long nowNanos) {
                kept.giveBack(permits, takenAtNanos, nowNanos);
            }

            @Override
            public void charge(int permits, long nowNanos) {
                kept.charge(permits, nowNanos);
            }

            @Override
            public long available(long nowNanos) {
                return kept.available(nowNanos);
            }

            @Override
            public long nanosUntilFull(long nowNanos) {
                return kept.nanosUntilFull(nowNanos);
            }

            @Override
            public long nanosUntil(long ahead, int permits, long nowNanos) {
                return kept.nanosUntil(ahead, permits, nowNanos);
            }
        };
    }
}
