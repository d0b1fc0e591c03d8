package dev.weir.testkit;

import org.junit.jupiter.api.Nested;

/**
 * The contracts of every limiter whose permits return when leases are closed, on a clock of one origin.
 */
public abstract class LeasedLimiterSuite extends WaitingLimiterSuite {

    private final ContractSubject whom;
    private final long origin;

    /**
     * Creates the suite.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected LeasedLimiterSuite(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
        this.whom = subject;
        this.origin = originNanos;
    }

    @Nested
    final class Leasing extends LeasingContract {
        Leasing() {
            super(whom, origin);
        }
    }
}
