package dev.weir;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Takes from windows and segments, and those that follow them. */
public final class WindowStress {

    private static final Duration WINDOW = Duration.ofNanos(100);

    private WindowStress() {}

    private static boolean isTaken(PermitPolicy policy, long nowNanos) {
        return policy.tryTake(1, nowNanos) == PermitPolicy.TAKEN;
    }

    /** Two want the only permit of a window that neither has begun yet. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one took it")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, each in a window of its own, or neither")
    @State
    public static class TwoBeginAWindow {

        private final PermitPolicy policy = Limit.fixedWindow(1, WINDOW).newPolicy(0);

        public TwoBeginAWindow() {
            policy.tryTake(1, 0);
        }

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = isTaken(policy, 100);
        }

        @Actor
        public void other(ZZ_Result r) {
            r.r2 = isTaken(policy, 101);
        }
    }

    /** A permit is charged as the window ends: it counts, in the new one. */
    @JCStressTest
    @Outcome(id = "true, -1", expect = ACCEPTABLE, desc = "taken, then charged")
    @Outcome(id = "false, 0", expect = ACCEPTABLE, desc = "charged first")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost between two windows")
    @State
    public static class TakeAgainstChargeInANewWindow {

        private final PermitPolicy policy = Limit.fixedWindow(1, WINDOW).newPolicy(0);

        public TakeAgainstChargeInANewWindow() {
            policy.tryTake(1, 0);
        }

        @Actor
        public void take(ZJ_Result r) {
            r.r1 = isTaken(policy, 100);
        }

        @Actor
        public void charge() {
            policy.charge(1, 100);
        }

        @Arbiter
        public void look(ZJ_Result r) {
            r.r2 = policy.available(100);
        }
    }

    /** A permit of the window before comes back, which replaces the window, while one is taken from it. */
    @JCStressTest
    @Outcome(id = "true, 1", expect = ACCEPTABLE, desc = "one of two is out")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found")
    @State
    public static class TakeAgainstLateGiveBack {

        private final PermitPolicy policy =
                Limit.slidingWindowCounter(2, WINDOW).newPolicy(0);

        public TakeAgainstLateGiveBack() {
            policy.tryTake(1, 99);
        }

        @Actor
        public void take(ZJ_Result r) {
            r.r1 = isTaken(policy, 100);
        }

        @Actor
        public void giveBack() {
            policy.giveBack(1, 99, 100);
        }

        @Arbiter
        public void look(ZJ_Result r) {
            r.r2 = policy.available(100);
        }
    }

    /** Two want the only permit when a segment begins. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one took it")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, each in a segment of its own, or neither")
    @State
    public static class TwoBeginASegment {

        private final PermitPolicy policy = Limit.slidingWindow(1, WINDOW, 4).newPolicy(0);

        public TwoBeginASegment() {
            policy.tryTake(1, 0);
        }

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = isTaken(policy, 200);
        }

        @Actor
        public void other(ZZ_Result r) {
            r.r2 = isTaken(policy, 200);
        }
    }

    /** A permit comes back to a segment while another is taken from it. */
    @JCStressTest
    @Outcome(id = "true, 1", expect = ACCEPTABLE, desc = "one of two is out")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found")
    @State
    public static class TakeAgainstGiveBackInASegment {

        private final PermitPolicy policy = Limit.slidingWindow(2, WINDOW, 4).newPolicy(0);

        public TakeAgainstGiveBackInASegment() {
            policy.tryTake(1, 0);
        }

        @Actor
        public void take(ZJ_Result r) {
            r.r1 = isTaken(policy, 0);
        }

        @Actor
        public void giveBack() {
            policy.giveBack(1, 0, 0);
        }

        @Arbiter
        public void look(ZJ_Result r) {
            r.r2 = policy.available(0);
        }
    }

    /** The only permit of a concurrency limit comes back while somebody wants it. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "back in time")
    @Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "back a moment later")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found")
    @State
    public static class TakeAgainstRelease {

        private final PermitPolicy policy = Limit.concurrency(1).newPolicy(0);

        public TakeAgainstRelease() {
            policy.tryTake(1, 0);
        }

        @Actor
        public void take(ZJ_Result r) {
            r.r1 = isTaken(policy, 0);
        }

        @Actor
        public void release() {
            policy.release(1, 0);
        }

        @Arbiter
        public void look(ZJ_Result r) {
            r.r2 = policy.available(0);
        }
    }
}
