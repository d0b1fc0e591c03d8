package dev.weir.testkit;

import org.junit.jupiter.api.Nested;

/**
 * The contracts of every limiter whose permits come back when leases are closed, on a clock of one origin.
 */
public abstract class LeasedLimiterSuite extends WaitingLimiterSuite {

    private final ContractSubject whom;
    private final long origin;

    /**
     * Prepares the suite.
     *
     * @param subject whom it is held against
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
