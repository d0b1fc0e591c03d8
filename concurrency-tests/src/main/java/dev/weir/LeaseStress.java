package dev.weir;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.limit.Limit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.J_Result;

/** What two do with one lease at the same time. */
public final class LeaseStress {

    private LeaseStress() {}

    /** Closed twice, the permit comes back once. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "both permits home")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found")
    @State
    public static class CloseAgainstClose {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(2));
        private final Lease lease = limiter.tryAcquire(2);

        @Actor
        public void one() {
            lease.close();
        }

        @Actor
        public void other() {
            lease.close();
        }

        @Arbiter
        public void look(J_Result r) {
            r.r1 = limiter.availablePermits();
        }
    }

    /** Corrected while it is closed, all permits come back once. */
    @JCStressTest
    @Outcome(id = "3", expect = ACCEPTABLE, desc = "all permits home")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found")
    @State
    public static class SettleAgainstClose {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(3));
        private final Lease lease = limiter.tryAcquire(3);

        @Actor
        public void settle() {
            lease.settle(1);
        }

        @Actor
        public void close() {
            lease.close();
        }

        @Arbiter
        public void look(J_Result r) {
            r.r1 = limiter.availablePermits();
        }
    }

    /** Undone while it is closed: one of the two returned the permits. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "undone: never granted")
    @Outcome(id = "3, 1", expect = ACCEPTABLE, desc = "closed: granted once")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found")
    @State
    public static class GiveBackAgainstClose {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(3));
        private final Lease lease = limiter.tryAcquire(3);

        @Actor
        public void giveBack() {
            lease.giveBack();
        }

        @Actor
        public void close() {
            lease.close();
        }

        @Arbiter
        public void look(JJ_Result r) {
            r.r1 = limiter.availablePermits();
            r.r2 = limiter.statistics().acquired();
        }
    }
}
