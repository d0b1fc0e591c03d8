package dev.weir.testkit;

import org.junit.jupiter.api.Nested;

/**
 * What every {@link dev.weir.RateLimiter} promises, as tests: extend it to hold an implementation, or a limit of your own,
 * against the promises.
 *
 * <pre>{@code
 * final class MyLimiterTest extends RateLimiterContract {
 *     public RateLimiter.Builder builder(Limit limit) { return RateLimiter.builder(limit); }
 *     public Limit limit(int permits, Duration period) { return new MyLimit(permits, period); }
 * }
 * }</pre>
 *
 * <p>Everything is tried on clocks of several origins, as the clock of the JVM may begin anywhere and wrap. Limits whose
 * permits come back by time belong here; for those that come back when leases are closed there is
 * {@link LeasedLimiterContract}, and for other selections the suites and single contracts can be composed in nested
 * classes. Needs JUnit 5.
 */
public abstract class RateLimiterContract implements ContractSubject {

    /** For subclasses, which say how to make their limiters. */
    protected RateLimiterContract() {}

    @Nested
    final class FromZero extends TimedLimiterSuite {
        FromZero() {
            super(RateLimiterContract.this, 0);
        }
    }

    @Nested
    final class FromMinusOne extends TimedLimiterSuite {
        FromMinusOne() {
            super(RateLimiterContract.this, -1);
        }
    }

    @Nested
    final class FromTheSmallestTime extends TimedLimiterSuite {
        FromTheSmallestTime() {
            super(RateLimiterContract.this, Long.MIN_VALUE);
        }
    }

    @Nested
    final class FromJustBeforeTheWrap extends TimedLimiterSuite {
        FromJustBeforeTheWrap() {
            super(RateLimiterContract.this, LimiterContract.JUST_BEFORE_THE_WRAP);
        }
    }
}
