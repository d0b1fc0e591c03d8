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

/** Takes from a bucket, and the eras that follow one another. */
public final class BucketStress {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private BucketStress() {}

    /** Two want the last token. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one took it")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class TakeAgainstTake {

        private final PermitPolicy policy = Limit.tokenBucket(1, 1, SECOND).newPolicy(0);

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = policy.tryTake(1, 0) == PermitPolicy.TAKEN;
        }

        @Actor
        public void other(ZZ_Result r) {
            r.r2 = policy.tryTake(1, 0) == PermitPolicy.TAKEN;
        }
    }

    /** Two want the only token after ages, when the next era begins: they begin it, and one takes it. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one took it")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a take lost between two eras, or both refused")
    @State
    public static class TakeAgainstTakeInTheNextEra {

        private static final long AGES = 1L << 62;
        private final PermitPolicy policy = Limit.tokenBucket(1, 1, SECOND).newPolicy(0);

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = policy.tryTake(1, AGES) == PermitPolicy.TAKEN;
        }

        @Actor
        public void other(ZZ_Result r) {
            r.r2 = policy.tryTake(1, AGES) == PermitPolicy.TAKEN;
        }
    }

    /** A token is taken while the pace changes: the era that is frozen takes it along. */
    @JCStressTest
    @Outcome(id = "true, 2", expect = ACCEPTABLE, desc = "taken, and it counts in the next era")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a take lost with the old era, or counted twice")
    @State
    public static class TakeAgainstReconfigure {

        private final PermitPolicy policy = Limit.tokenBucket(3, 1, SECOND).newPolicy(0);

        @Actor
        public void take(ZJ_Result r) {
            r.r1 = policy.tryTake(1, 0) == PermitPolicy.TAKEN;
        }

        @Actor
        public void changePace() {
            policy.reconfigure(Limit.tokenBucket(3, 2, SECOND), 0);
        }

        @Arbiter
        public void look(ZJ_Result r) {
            r.r2 = policy.available(0);
        }
    }

    /** A token comes back while another is taken. */
    @JCStressTest
    @Outcome(id = "true, 1", expect = ACCEPTABLE, desc = "one of two is out")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a token lost or found")
    @State
    public static class TakeAgainstGiveBack {

        private final PermitPolicy policy = Limit.tokenBucket(2, 1, SECOND).newPolicy(0);

        public TakeAgainstGiveBack() {
            policy.tryTake(1, 0);
        }

        @Actor
        public void take(ZJ_Result r) {
            r.r1 = policy.tryTake(1, 0) == PermitPolicy.TAKEN;
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

    /** A request is settled for less while another is granted: the bucket begins to remember, and forgets neither. */
    @JCStressTest
    @Outcome(id = "true, 1", expect = ACCEPTABLE, desc = "one of two is out")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a take or what came back lost with the era that does not remember")
    @State
    public static class TakeAgainstSettle {

        private final PermitPolicy policy = Limit.tokenBucket(2, 1, SECOND).newPolicy(0);

        public TakeAgainstSettle() {
            policy.tryTake(1, 0);
        }

        @Actor
        public void take(ZJ_Result r) {
            r.r1 = policy.tryTake(1, 0) == PermitPolicy.TAKEN;
        }

        @Actor
        public void settle() {
            policy.settle(1, 0, false, 0, 0);
        }

        @Arbiter
        public void look(ZJ_Result r) {
            r.r2 = policy.available(0);
        }
    }

    /** Two want the last token of a bucket that remembers. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one took it")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class TakeAgainstTakeRemembered {

        private final PermitPolicy policy = Limit.tokenBucket(3, 1, SECOND).newPolicy(0);

        public TakeAgainstTakeRemembered() {
            policy.tryTake(3, 0);
            policy.settle(3, 2, false, 0, 0);
        }

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = policy.tryTake(1, 0) == PermitPolicy.TAKEN;
        }

        @Actor
        public void other(ZZ_Result r) {
            r.r2 = policy.tryTake(1, 0) == PermitPolicy.TAKEN;
        }
    }

    /** The only token comes back while somebody wants it: got, or there for the next. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "back in time")
    @Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "back a moment later")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a token lost or found")
    @State
    public static class LastTakeAgainstGiveBack {

        private final PermitPolicy policy = Limit.leakyBucket(1, SECOND).newPolicy(0);

        public LastTakeAgainstGiveBack() {
            policy.tryTake(1, 0);
        }

        @Actor
        public void take(ZJ_Result r) {
            r.r1 = policy.tryTake(1, 0) == PermitPolicy.TAKEN;
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

    /** Two are charged while one of two is taken: taken in time, or refused for the debt. */
    @JCStressTest
    @Outcome(id = "true, -1", expect = ACCEPTABLE, desc = "taken, then charged")
    @Outcome(id = "false, 0", expect = ACCEPTABLE, desc = "charged first")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a token lost or found")
    @State
    public static class TakeAgainstCharge {

        private final PermitPolicy policy = Limit.tokenBucket(2, 1, SECOND).newPolicy(0);

        @Actor
        public void take(ZJ_Result r) {
            r.r1 = policy.tryTake(1, 0) == PermitPolicy.TAKEN;
        }

        @Actor
        public void charge() {
            policy.charge(2, 0);
        }

        @Arbiter
        public void look(ZJ_Result r) {
            r.r2 = policy.available(0);
        }
    }
}
