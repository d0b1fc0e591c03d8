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
import org.openjdk.jcstress.infra.results.IJ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Timers that are not as good as their word. */
public final class AlarmStress {

    private AlarmStress() {}

    /** The alarm goes off too early while the time comes: who waits is granted, or will be woken. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "granted, or will be woken")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "an alarm that forgot to set itself again")
    @State
    public static class EarlyAlarmAgainstTime {

        private final ManualTime time = new ManualTime();
        private final RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofNanos(100)))
                .timeSource(time)
                .build();
        private volatile boolean granted;

        public EarlyAlarmAgainstTime() {
            limiter.tryConsume(1);
            limiter.acquire(1, lease -> granted = lease.isAcquired());
        }

        @Actor
        public void early() {
            time.fire();
        }

        @Actor
        public void inTime() {
            time.set(100);
            time.fire();
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = granted || time.isPending();
        }
    }

    /** The same alarm goes off twice at once: one permit, one grant, and the next is woken later. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "one granted, and the other will be woken")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "granted twice, or nobody, or nobody will come")
    @State
    public static class AlarmTwice {

        private final ManualTime time = new ManualTime();
        private final RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofNanos(100)))
                .timeSource(time)
                .build();
        private final Runnable alarm;
        private int granted; // grants happen inside the drain, one after another

        public AlarmTwice() {
            limiter.tryConsume(1);
            limiter.acquire(1, lease -> granted++);
            limiter.acquire(1, lease -> granted++);
            alarm = time.pending();
            time.set(100);
        }

        @Actor
        public void once() {
            alarm.run();
        }

        @Actor
        public void again() {
            alarm.run();
        }

        @Arbiter
        public void look(IJ_Result r) {
            r.r1 = time.isPending() ? granted : -1;
            r.r2 = limiter.availablePermits();
        }
    }
}
