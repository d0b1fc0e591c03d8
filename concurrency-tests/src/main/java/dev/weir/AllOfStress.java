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
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/** Takes from several limits at once. The last figure is what is left at the end, of the member that has least. */
public final class AllOfStress {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private AllOfStress() {}

    private static PermitPolicy bucketAndWindow(int permits) {
        return Limit.allOf(Limit.tokenBucket(permits, 1, SECOND), Limit.of(permits, SECOND))
                .newPolicy(0);
    }

    private static boolean isTaken(PermitPolicy policy, int permits) {
        return policy.tryTake(permits, 0) == PermitPolicy.TAKEN;
    }

    /** Two want the only permit. */
    @JCStressTest
    @Outcome(
            id = {"true, false, 0", "false, true, 0"},
            expect = ACCEPTABLE,
            desc = "one took it")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither, or it was taken twice from a member")
    @State
    public static class TwoWantTheLast {

        private final PermitPolicy policy = bucketAndWindow(1);

        @Actor
        public void one(ZZJ_Result r) {
            r.r1 = isTaken(policy, 1);
        }

        @Actor
        public void other(ZZJ_Result r) {
            r.r2 = isTaken(policy, 1);
        }

        @Arbiter
        public void look(ZZJ_Result r) {
            r.r3 = policy.available(0);
        }
    }

    /** There is a permit for each: nobody is refused for what another has under way. */
    @JCStressTest
    @Outcome(id = "true, true, 0", expect = ACCEPTABLE, desc = "both took one")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "one was refused what was there")
    @State
    public static class RoomForBoth {

        private final PermitPolicy policy = bucketAndWindow(2);

        @Actor
        public void one(ZZJ_Result r) {
            r.r1 = isTaken(policy, 1);
        }

        @Actor
        public void other(ZZJ_Result r) {
            r.r2 = isTaken(policy, 1);
        }

        @Arbiter
        public void look(ZZJ_Result r) {
            r.r3 = policy.available(0);
        }
    }

    /** There is room for either, of different weight. */
    @JCStressTest
    @Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "the larger")
    @Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "the smaller")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class RoomForEither {

        private final PermitPolicy policy = bucketAndWindow(2);

        @Actor
        public void larger(ZZJ_Result r) {
            r.r1 = isTaken(policy, 2);
        }

        @Actor
        public void smaller(ZZJ_Result r) {
            r.r2 = isTaken(policy, 1);
        }

        @Arbiter
        public void look(ZZJ_Result r) {
            r.r3 = policy.available(0);
        }
    }

    /** There are tokens for both, but only one call. */
    @JCStressTest
    @Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "one called")
    @Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "the other called")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class TokensForBothAndOneCall {

        private final PermitPolicy policy = Limit.allOf(
                        Limit.tokenBucket(9, 1, SECOND), Limit.of(1, SECOND).countingCalls())
                .newPolicy(0);

        @Actor
        public void one(ZZJ_Result r) {
            r.r1 = isTaken(policy, 4);
        }

        @Actor
        public void other(ZZJ_Result r) {
            r.r2 = isTaken(policy, 5);
        }

        @Arbiter
        public void look(ZZJ_Result r) {
            r.r3 = Math.min(0, policy.available(0));
        }
    }

    /** A permit is charged while the last is taken. */
    @JCStressTest
    @Outcome(id = "true, -1", expect = ACCEPTABLE, desc = "taken, then charged")
    @Outcome(id = "false, 0", expect = ACCEPTABLE, desc = "charged first")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit that one member counts and another does not")
    @State
    public static class TakeAgainstCharge {

        private final PermitPolicy policy = bucketAndWindow(1);

        @Actor
        public void take(ZJ_Result r) {
            r.r1 = isTaken(policy, 1);
        }

        @Actor
        public void charge() {
            policy.charge(1, 0);
        }

        @Arbiter
        public void look(ZJ_Result r) {
            r.r2 = policy.available(0);
        }
    }

    /** The last permit is taken while the limit grows by one. */
    @JCStressTest
    @Outcome(id = "true, 1", expect = ACCEPTABLE, desc = "one of two is taken")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "refused, or forgotten with the change")
    @State
    public static class TakeAgainstReconfigure {

        private final PermitPolicy policy =
                Limit.allOf(Limit.concurrency(1), Limit.of(1, SECOND)).newPolicy(0);

        @Actor
        public void take(ZJ_Result r) {
            r.r1 = isTaken(policy, 1);
        }

        @Actor
        public void grow() {
            policy.reconfigure(Limit.allOf(Limit.concurrency(2), Limit.of(2, SECOND)), 0);
        }

        @Arbiter
        public void look(ZJ_Result r) {
            r.r2 = policy.available(0);
        }
    }
}
