package dev.weir.time;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** What is scheduled while the timer's thread goes to sleep. */
public final class TimerStress {

    private TimerStress() {}

    /** An alarm is pushed that is due before the thread would wake by itself. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "sleeps, and is woken")
    @Outcome(
            id = {"false, false", "true, false"},
            expect = ACCEPTABLE,
            desc = "looks again before it sleeps")
    @Outcome(id = "false, true", expect = FORBIDDEN, desc = "an alarm that is slept through")
    @State
    public static class PushAgainstSleep {

        private final AlarmInbox inbox = new AlarmInbox();
        private final TimerThread.Alarm alarm = new TimerThread(() -> 0, Thread::new).new Alarm(() -> {}, 1);

        @Actor
        public void push(ZZ_Result r) {
            r.r1 = inbox.push(alarm);
        }

        @Actor
        public void goToSleep(ZZ_Result r) {
            r.r2 = inbox.announceSleepUntil(100);
        }
    }
}
