package dev.weir;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.LJ_Result;
import org.openjdk.jcstress.infra.results.L_Result;
import org.openjdk.jcstress.infra.results.ZJ_Result;
import org.openjdk.jcstress.infra.results.ZZJ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** What can become of a request that waits. */
public final class WaiterStress {

    private WaiterStress() {}

    /** The permit comes while the one who waits for it cancels: it is told, or the permit stays home. */
    @JCStressTest
    @Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "granted; the permit is out")
    @Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "cancelled; the permit is home")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found, or both or neither told")
    @State
    public static class GrantAgainstCancel {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        private final Lease held = limiter.tryAcquire();
        private volatile boolean granted;
        private volatile boolean cancelled;
        private final PermitRequest waiting = limiter.acquire(1, lease -> granted = lease.isAcquired());

        @Actor
        public void release() {
            held.close();
        }

        @Actor
        public void cancel() {
            cancelled = waiting.cancel();
        }

        @Arbiter
        public void look(ZZJ_Result r) {
            r.r1 = granted;
            r.r2 = cancelled;
            r.r3 = limiter.availablePermits();
        }
    }

    /** As with cancel, by way of the future: what it holds is what was taken. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "granted; the permit is out")
    @Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "cancelled; the permit is home")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found")
    @State
    public static class GrantAgainstCancelledFuture {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        private final Lease held = limiter.tryAcquire();
        private final CompletableFuture<Lease> waiting = limiter.acquire();

        @Actor
        public void release() {
            held.close();
        }

        @Actor
        public void cancel() {
            waiting.cancel(false);
        }

        @Arbiter
        public void look(ZJ_Result r) {
            r.r1 = !waiting.isCancelled();
            r.r2 = limiter.availablePermits();
        }
    }

    /** Two cancel: one of them did it. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one cancelled")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both or neither")
    @State
    public static class CancelAgainstCancel {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        private final Lease held = limiter.tryAcquire();
        private final PermitRequest waiting = limiter.acquire(1, lease -> held.close());

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = waiting.cancel();
        }

        @Actor
        public void other(ZZ_Result r) {
            r.r2 = waiting.cancel();
        }
    }

    /** The permit comes at the moment when the time is up. */
    @JCStressTest
    @Outcome(id = "ACQUIRED, 0", expect = ACCEPTABLE, desc = "in time; the permit is out")
    @Outcome(id = "MAX_WAIT, 1", expect = ACCEPTABLE, desc = "too late; the permit is home")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found, or nobody told")
    @State
    public static class GrantAgainstTimeout {

        private final ManualTime time = new ManualTime();
        private final RateLimiter limiter =
                RateLimiter.builder(Limit.concurrency(1)).timeSource(time).build();
        private final Lease held = limiter.tryAcquire();
        private volatile String answer;

        public GrantAgainstTimeout() {
            limiter.acquire(
                    1,
                    Duration.ofNanos(10),
                    lease -> answer = lease.reason().map(Enum::name).orElse("ACQUIRED"));
        }

        @Actor
        public void release() {
            held.close();
        }

        @Actor
        public void timeIsUp() {
            time.set(10);
            time.fire();
        }

        @Arbiter
        public void look(LJ_Result r) {
            r.r1 = answer;
            r.r2 = limiter.availablePermits();
        }
    }

    /** The permit comes while the limiter is closed. */
    @JCStressTest
    @Outcome(id = "ACQUIRED, 0", expect = ACCEPTABLE, desc = "granted; the permit is out")
    @Outcome(id = "CLOSED, 1", expect = ACCEPTABLE, desc = "closed; the permit is home")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found, or nobody told")
    @State
    public static class GrantAgainstClose {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        private final Lease held = limiter.tryAcquire();
        private volatile String answer;

        public GrantAgainstClose() {
            limiter.acquire(1, lease -> answer = lease.reason().map(Enum::name).orElse("ACQUIRED"));
        }

        @Actor
        public void release() {
            held.close();
        }

        @Actor
        public void close() {
            limiter.close();
        }

        @Arbiter
        public void look(LJ_Result r) {
            r.r1 = answer;
            r.r2 = limiter.availablePermits();
        }
    }

    /** The permit comes while the limit grows: one waits, two become free. */
    @JCStressTest
    @Outcome(id = "true, 1", expect = ACCEPTABLE, desc = "granted; one permit left")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found, or somebody left waiting")
    @State
    public static class GrantAgainstReconfigure {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        private final Lease held = limiter.tryAcquire();
        private volatile boolean granted;

        public GrantAgainstReconfigure() {
            limiter.acquire(1, lease -> granted = lease.isAcquired());
        }

        @Actor
        public void release() {
            held.close();
        }

        @Actor
        public void grow() {
            limiter.reconfigure(Limit.concurrency(2));
        }

        @Arbiter
        public void look(ZJ_Result r) {
            r.r1 = granted;
            r.r2 = limiter.availablePermits();
        }
    }

    /** Two change the limit at once, one of them twice: what the limiter says its limit is, it grants. */
    @JCStressTest
    @Outcome(
            id = {"2, 2", "4, 4"},
            expect = ACCEPTABLE,
            desc = "one of them was last")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "one limit is told, another granted")
    @State
    public static class ReconfigureAgainstReconfigure {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));

        @Actor
        public void once() {
            limiter.reconfigure(Limit.concurrency(2));
        }

        @Actor
        public void twice() {
            limiter.reconfigure(Limit.concurrency(3));
            limiter.reconfigure(Limit.concurrency(4));
        }

        @Arbiter
        public void look(JJ_Result r) {
            r.r1 = limiter.limit().capacity();
            r.r2 = limiter.availablePermits();
        }
    }

    /** Somebody comes to wait at the moment when the permit does. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "granted")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "left waiting beside a free permit")
    @State
    public static class ArrivalAgainstRelease {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        private final Lease held = limiter.tryAcquire();
        private volatile boolean granted;

        @Actor
        public void release() {
            held.close();
        }

        @Actor
        public void arrive() {
            limiter.acquire(1, lease -> granted = lease.isAcquired());
        }

        @Arbiter
        public void look(ZJ_Result r) {
            r.r1 = granted;
            r.r2 = limiter.availablePermits();
        }
    }

    /** Somebody comes to wait while the limiter is closed: an exception or an answer, never silence. */
    @JCStressTest
    @Outcome(id = "CLOSED", expect = ACCEPTABLE, desc = "refused while waiting")
    @Outcome(id = "IllegalStateException", expect = ACCEPTABLE, desc = "came too late")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "left waiting for ever")
    @State
    public static class ArrivalAgainstClose {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        private final Lease held = limiter.tryAcquire();
        private volatile String answer;

        @Actor
        public void close() {
            limiter.close();
        }

        @Actor
        public void arrive() {
            try {
                limiter.acquire(
                        1, lease -> answer = lease.reason().map(Enum::name).orElse("ACQUIRED"));
            } catch (IllegalStateException closed) {
                answer = "IllegalStateException";
            }
        }

        @Arbiter
        public void look(L_Result r) {
            r.r1 = held.isAcquired() ? answer : "not held";
        }
    }
}
