package dev.weir.testkit;

import org.junit.jupiter.api.Nested;

/**
 * The contracts of every limiter that lets requests wait, on a clock of one origin.
 */
public abstract class WaitingLimiterSuite {

    final ContractSubject whom;
    final long origin;

    /**
     * Creates the suite.
     *
     * @param subject the subject under test
     * @param originNanos where the clock begins
     */
    protected WaitingLimiterSuite(ContractSubject subject, long originNanos) {
        this.whom = subject;
        this.origin = originNanos;
    }

    @Nested
    final class Arguments extends ArgumentsContract {
        Arguments() {
            super(whom, origin);
        }
    }

    @Nested
    final class ZeroPermits extends ZeroPermitsContract {
        ZeroPermits() {
            super(whom, origin);
        }
    }

    @Nested
    final class OldestFirst extends QueueContract {
        OldestFirst() {
            super(whom, origin);
        }
    }

    @Nested
    final class NewestFirst extends NewestFirstContract {
        NewestFirst() {
            super(whom, origin);
        }
    }

    @Nested
    final class Cancelling extends CancelContract {
        Cancelling() {
            super(whom, origin);
        }
    }

    @Nested
    final class Futures extends FutureContract {
        Futures() {
            super(whom, origin);
        }
    }

    @Nested
    final class Listeners extends ListenerContract {
        Listeners() {
            super(whom, origin);
        }
    }

    @Nested
    final class Observers extends ObserverContract {
        Observers() {
            super(whom, origin);
        }
    }

    @Nested
    final class Leases extends LeaseContract {
        Leases() {
            super(whom, origin);
        }
    }

    @Nested
    final class Pausing extends PauseContract {
        Pausing() {
            super(whom, origin);
        }
    }

    @Nested
    final class Reconfiguring extends ReconfigureContract {
        Reconfiguring() {
            super(whom, origin);
        }
    }

    @Nested
    final class Closing extends CloseContract {
        Closing() {
            super(whom, origin);
        }
    }
}
