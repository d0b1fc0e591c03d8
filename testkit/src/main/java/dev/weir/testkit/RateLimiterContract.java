package dev.weir.testkit;

import org.junit.jupiter.api.Nested;

/**
 * The contract of every {@link dev.weir.RateLimiter}, as tests: extend this class to test an implementation, or a custom limit,
 * against the contract.
 *
 * <pre>{@code
 * final class MyLimiterTest extends RateLimiterContract {
 *     public RateLimiter.Builder builder(Limit limit) { return RateLimiter.builder(limit); }
 *     public Limit limit(int permits, Duration period) { return new MyLimit(permits, period); }
 * }
 * }</pre>
 *
 * <p>All tests run on clocks of several origins, as the clock of the JVM may begin anywhere and wrap. This class is for limits
 * whose permits return by time; use {@link LeasedLimiterContract} for those whose permits return when leases are closed. For
 * another selection, compose the suites and single contracts in nested classes. Needs JUnit 5.
 *
 * <p>Each test calls its limiters from one thread only, so the contracts do not see races: a limiter without any synchronization
 * passes them. For those use tools such as jcstress and Lincheck, and a {@link PermitLedger} under the load of several threads.
 * A test that hangs fails after two minutes.
 */
public abstract class RateLimiterContract implements ContractSubject {

    /** For subclasses, which implement how to create their limiters. */
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
