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
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Takes from one ring, and what replaces the ring. */
public final class ExactWindowStress {

    private ExactWindowStress() {}

    /** Two want the last permit. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one took it")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class TakeAgainstTake {

        private final PermitPolicy policy = Limit.of(1, Duration.ofSeconds(1)).newPolicy(0);

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = policy.tryTake(1, 0) == PermitPolicy.TAKEN;
        }

        @Actor
        public void other(ZZ_Result r) {
            r.r2 = policy.tryTake(1, 1) == PermitPolicy.TAKEN;
        }
    }

    /** Two of three, and one of three, and the ring grows on the way. */
    @JCStressTest
    @Outcome(id = "true, true, 0", expect = ACCEPTABLE, desc = "all taken")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found")
    @State
    public static class SeveralAgainstSingle {

        private final PermitPolicy policy = Limit.of(6, Duration.ofSeconds(1)).newPolicy(0);

        public SeveralAgainstSingle() {
            policy.tryTake(3, 0);
        }

        @Actor
        public void several(ZZJ_Result r) {
            r.r1 = policy.tryTake(2, 0) == PermitPolicy.TAKEN;
        }

        @Actor
        public void single(ZZJ_Result r) {
            r.r2 = policy.tryTake(1, 0) == PermitPolicy.TAKEN;
        }

        @Arbiter
        public void look(ZZJ_Result r) {
            r.r3 = policy.available(0);
        }
    }

    /** One is given back while another is taken: nothing falls between the ring and its copy. */
    @JCStressTest
    @Outcome(id = "true, 1", expect = ACCEPTABLE, desc = "one of two is out")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found")
    @State
    public static class TakeAgainstGiveBack {

        private final PermitPolicy policy = Limit.of(2, Duration.ofSeconds(1)).newPolicy(0);

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

    /** One is charged while another is taken. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "taken, then charged")
    @Outcome(id = "true, -1", expect = FORBIDDEN, desc = "counted twice")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found")
    @State
    public static class TakeAgainstCharge {

        private final PermitPolicy policy = Limit.of(2, Duration.ofSeconds(1)).newPolicy(0);

        @Actor
        public void take(ZJ_Result r) {
            r.r1 = policy.tryTake(1, 0) == PermitPolicy.TAKEN;
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
}
