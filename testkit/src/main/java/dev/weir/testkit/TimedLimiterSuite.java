package dev.weir.testkit;

import org.junit.jupiter.api.Nested;

/**
 * The contracts of every limiter whose permits return by time, on a clock of one origin.
 */
public abstract class TimedLimiterSuite extends WaitingLimiterSuite {

    /**
     * Creates the suite.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected TimedLimiterSuite(ContractSubject subject, long originNanos) {
        super(subject, originNanos);
    }

    @Nested
    final class RetryingAfter extends RetryAfterContract {
        RetryingAfter() {
            super(whom, origin);
        }
    }

    @Nested
    final class WaitingAtMost extends MaxWaitContract {
        WaitingAtMost() {
            super(whom, origin);
        }
    }

    @Nested
    final class Retiming extends RetimingContract {
        Retiming() {
            super(whom, origin);
        }
    }

    @Nested
    final class Scheduling extends ScheduleContract {
        Scheduling() {
            super(whom, origin);
        }
    }

    @Nested
    final class Timers extends TimerContract {
        Timers() {
            super(whom, origin);
        }
    }

    @Nested
    final class Clocks extends ClockContract {
        Clocks() {
            super(whom, origin);
        }
    }
}
