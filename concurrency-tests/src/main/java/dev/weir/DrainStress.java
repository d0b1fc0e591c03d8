package dev.weir;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.limit.Limit;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Signals, idleness and the alarm. */
public final class DrainStress {

    private DrainStress() {}

    /** Two leave a note and signal: when both have returned, a pass has seen both notes. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "both seen")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a signal lost while the drain went idle")
    @State
    public static class SignalAgainstIdle {

        private final SerialDrain drain = new SerialDrain();
        private volatile boolean one;
        private volatile boolean other;
        private boolean oneSeen;
        private boolean otherSeen;

        private void signal() {
            if (drain.enter()) {
                do {
                    oneSeen = one;
                    otherSeen = other;
                } while (!drain.leave());
            }
        }

        @Actor
        public void one() {
            one = true;
            signal();
        }

        @Actor
        public void other() {
            other = true;
            signal();
        }

        @Arbiter
        public void look(ZZ_Result r) {
            r.r1 = oneSeen;
            r.r2 = otherSeen;
        }
    }

    /** As before, but a thread that finds a note leaves all the same, and comes back: nothing is lost in between. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "both seen")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a signal lost while a thread left in spite of it")
    @State
    public static class SignalAgainstLeaving {

        private final SerialDrain drain = new SerialDrain();
        private volatile boolean one;
        private volatile boolean other;
        private boolean oneSeen;
        private boolean otherSeen;

        private void signal() {
            while (drain.enter()) {
                oneSeen = one;
                otherSeen = other;
                if (drain.leave()) {
                    return;
                }
                drain.leaveAnyway();
            }
        }

        @Actor
        public void one() {
            one = true;
            signal();
        }

        @Actor
        public void other() {
            other = true;
            signal();
        }

        @Arbiter
        public void look(ZZ_Result r) {
            r.r1 = oneSeen;
            r.r2 = otherSeen;
        }
    }

    /** The alarm goes off while the head, for whom it was set, cancels: the next is granted, or an alarm is set for it. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the next was granted, or will be woken")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "nobody will ever come for the next")
    @State
    public static class AlarmAgainstCancelledHead {

        private final ManualTime time = new ManualTime();
        private final RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofNanos(100)))
                .timeSource(time)
                .build();
        private volatile boolean granted;
        private final PermitRequest head;

        public AlarmAgainstCancelledHead() {
            limiter.tryConsume(1);
            head = limiter.acquire(1, lease -> {});
            limiter.acquire(1, lease -> granted = lease.isAcquired());
        }

        @Actor
        public void alarm() {
            time.set(100);
            time.fire();
        }

        @Actor
        public void cancel() {
            head.cancel();
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = granted || time.isPending();
        }
    }

    /** The alarm goes off while somebody comes to wait: who is not granted will be woken. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "granted, or will be woken")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "an alarm not set again")
    @State
    public static class AlarmAgainstArrival {

        private final ManualTime time = new ManualTime();
        private final RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofNanos(100)))
                .timeSource(time)
                .build();
        private volatile boolean granted;

        public AlarmAgainstArrival() {
            limiter.tryConsume(1);
            limiter.acquire(1, lease -> {});
        }

        @Actor
        public void alarm() {
            time.set(100);
            time.fire();
        }

        @Actor
        public void arrive() {
            limiter.acquire(1, lease -> granted = lease.isAcquired());
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = granted || time.isPending();
        }
    }
}
