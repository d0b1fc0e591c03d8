package dev.weir.testkit;

import org.junit.jupiter.api.Nested;

/**
 * The contracts of every limiter whose permits return when leases are closed, on a clock of one origin.
 */
public abstract class LeasedLimiterSuite extends WaitingLimiterSuite {

    /**
     * Creates the suite.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected LeasedLimiterSuite(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Nested
    final class Leasing extends LeasingContract {
        Leasing() {
            super(whom, origin);
        }
    }
}
