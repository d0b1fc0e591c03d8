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
 * <p>The policy of a custom limit has to override {@code capacity}, {@code reconfigure}, {@code nanosSinceFull} and
 * {@code nanosUntil} as well. {@link ReconfigureContract}, {@link RetimingContract}, {@link MaxWaitContract} and
 * {@link RetryAfterContract} need them; compose the others for a policy without. The policy is also the measure of what its
 * limiters may grant: whether the limit keeps its bound is checked only if {@link #mostIn} says what that is. Otherwise use
 * {@link EmissionTimes#neverExceeds}.
 *
 * <p>The tests call their limiters from one thread at a time, so the contracts do not see races: a limiter without any synchronization
 * passes them. For those use tools such as jcstress and Lincheck, and a {@link PermitLedger} under the load of several threads.
 * A test that hangs fails after two minutes. As some tests let 100,000 requests wait and then cancel
 * them all, or grant one after the other, what is done for one of them must not take longer the more of them wait.
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
