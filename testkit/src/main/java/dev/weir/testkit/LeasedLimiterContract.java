package dev.weir.testkit;

import org.junit.jupiter.api.Nested;

/**
 * The contract of every {@link dev.weir.RateLimiter} whose permits return when leases are closed, as tests, on clocks of several
 * origins. See {@link RateLimiterContract} for limits whose permits return by time, and for what the contracts do not see.
 */
public abstract class LeasedLimiterContract implements ContractSubject {

    /** For subclasses, which implement how to create their limiters. */
    protected LeasedLimiterContract() {}

    @Nested
    final class FromZero extends LeasedLimiterSuite {
        FromZero() {
            super(LeasedLimiterContract.this, 0);
        }
    }

    @Nested
    final class FromMinusOne extends LeasedLimiterSuite {
        FromMinusOne() {
            super(LeasedLimiterContract.this, -1);
        }
    }

    @Nested
    final class FromTheSmallestTime extends LeasedLimiterSuite {
        FromTheSmallestTime() {
            super(LeasedLimiterContract.this, Long.MIN_VALUE);
        }
    }

    @Nested
    final class FromJustBeforeTheWrap extends LeasedLimiterSuite {
        FromJustBeforeTheWrap() {
            super(LeasedLimiterContract.this, LimiterContract.JUST_BEFORE_THE_WRAP);
        }
    }
}
