package dev.weir.benchmarks.crowd;

import dev.weir.PartitionedRateLimiter;
import dev.weir.benchmarks.CountingTime;
import dev.weir.limit.Limit;
import java.time.Duration;

/** The partitioned limiter of this library. */
final class OurKeys implements Keyed {

    static final int PERMITS = 10;
    static final Duration PERIOD = Duration.ofDays(1);

    private final CountingTime time = new CountingTime();
    private final PartitionedRateLimiter<Long> limiters;

    OurKeys(Limit limit) {
        PartitionedRateLimiter.Builder<Long> builder = PartitionedRateLimiter.builder(key -> limit);
        this.limiters = builder.timeSource(time).build();
    }

    @Override
    public boolean tryTake(Long key) {
        return limiters.tryAcquire(key, 1).isAcquired();
    }

    @Override
    public long keys() {
        return limiters.keyCount();
    }

    @Override
    public int mostTimers() {
        return time.mostPending();
    }
}
