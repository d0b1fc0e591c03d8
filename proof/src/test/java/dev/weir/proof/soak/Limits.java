package dev.weir.proof.soak;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Concurrency;
import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.SplittableRandom;

/** Limits and limiters at random, all so fast that nothing waits for long. */
final class Limits {

    private Limits() {}

    static Limit any(SplittableRandom random) {
        return random.nextInt(4) == 0 ? Limit.concurrency(1 + random.nextInt(20)) : byTime(random);
    }

    static Limit byTime(SplittableRandom random) {
        int permits = 5 + random.nextInt(100);
        Duration period = Duration.ofNanos(200_000L + random.nextInt(5_000_000));
        return switch (random.nextInt(7)) {
            case 0 -> Limit.slidingWindow(permits, period, 4);
            case 1 -> Limit.slidingWindowCounter(permits, period);
            case 2 -> Limit.fixedWindow(permits, period);
            case 3 -> Limit.tokenBucket(permits, permits, period);
            case 4 -> Limit.leakyBucket(permits, period);
            case 5 -> Limit.allOf(Limit.of(permits, period), Limit.tokenBucket(permits, permits, period));
            default -> Limit.of(permits, period);
        };
    }

    static boolean isLeased(Limit limit) {
        return limit instanceof Concurrency;
    }

    static RateLimiter limiter(Limit limit, TimeSource time, SplittableRandom random) {
        RateLimiter.Builder builder = RateLimiter.builder(limit)
                .timeSource(time)
                .queueLimit(random.nextInt(300))
                .queueOrder(random.nextBoolean() ? QueueOrder.OLDEST_FIRST : QueueOrder.NEWEST_FIRST);
        return random.nextInt(4) == 0
                ? builder.maxWait(Duration.ofMillis(random.nextInt(5))).build()
                : builder.build();
    }
}
