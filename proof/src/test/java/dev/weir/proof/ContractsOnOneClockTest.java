package dev.weir.proof;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.ContractSubject;
import dev.weir.testkit.LeasedLimiterSuite;
import dev.weir.testkit.TimedLimiterSuite;
import java.time.Duration;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Nested;

/**
 * All contracts once, for one limit of each nature, on a clock that wraps: what is held against each mutant of the engine.
 * Every limit on every clock would say no more about the engine, and take thirty times as long.
 */
final class ContractsOnOneClockTest {

    private static final long JUST_BEFORE_THE_WRAP = Long.MAX_VALUE - 3_000_000_000L;

    @Nested
    final class ByTime extends TimedLimiterSuite {
        ByTime() {
            super(new Subject(Limit::of), JUST_BEFORE_THE_WRAP);
        }
    }

    @Nested
    final class ByLease extends LeasedLimiterSuite {
        ByLease() {
            super(new Subject((permits, period) -> Limit.concurrency(permits)), JUST_BEFORE_THE_WRAP);
        }
    }

    private record Subject(BiFunction<Integer, Duration, Limit> limits) implements ContractSubject {

        @Override
        public RateLimiter.Builder builder(Limit limit) {
            return RateLimiter.builder(limit);
        }

        @Override
        public Limit limit(int permits, Duration period) {
            return limits.apply(permits, period);
        }
    }
}
