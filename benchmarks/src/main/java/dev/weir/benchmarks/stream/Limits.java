package dev.weir.benchmarks.stream;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;

/** Limits that do not bite: a permit a nanosecond, far more than elements can come. */
final class Limits {

    static final int KEYS = 16;
    static final int MOST_WEIGHT = 4;

    private Limits() {}

    /** The limit that users begin with: exact. */
    static Limit exact() {
        return perNanosecond(100);
    }

    /** Exact, with many permits at hand. */
    static Limit perNanosecond(int permits) {
        return Limit.of(permits, Duration.ofNanos(permits));
    }

    static Limit tokens() {
        return Limit.tokenBucket(1_000_000, 1_000_000, Duration.ofMillis(1));
    }

    static RateLimiter shared() {
        return RateLimiter.of(exact());
    }

    /** Over a period in which each key comes again, or it would be forgotten and made anew each time. */
    static PartitionedRateLimiter<Integer> keyed() {
        return PartitionedRateLimiter.of(perNanosecond(1_000_000));
    }

    /** What every element must pay for that is let pass by time. */
    static Integer readingTheClock(Integer element) {
        if (System.nanoTime() == Long.MIN_VALUE) {
            throw new IllegalStateException("the clock stands at its very beginning");
        }
        return element;
    }

    static Integer key(Integer element) {
        return element % KEYS;
    }

    static int weight(Integer element) {
        return 1 + element % MOST_WEIGHT;
    }
}
