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
import org.openjdk.jcstress.infra.results.ZJ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** What is retired while somebody begins to use it. */
public final class RetireStress {

    private RetireStress() {}

    /** An engine of one key among many, as a partition makes it. */
    private static PermitEngine oneOfMany(Limit limit) {
        Settings settings = new Settings();
        settings.name("one of many");
        settings.timeSource(new ManualTime());
        return new PermitEngine(Terms.oneOfMany(settings, limit, (key, permits) -> {}), "key");
    }

    /** A mark is left while the other looks for marks. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "the mark counts, and the thing lives")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "retired, and the user knows")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a mark on something dead that its user believes in")
    @State
    public static class RetireAgainstUse extends Retirable {

        private volatile boolean marked;

        @Override
        boolean isUnused() {
            return !marked;
        }

        @Actor
        public void use(ZZ_Result r) {
            marked = true;
            r.r1 = confirmUse();
        }

        @Actor
        public void retire(ZZ_Result r) {
            r.r2 = retire();
        }
    }

    /** Two retire the same. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one did it")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class RetireAgainstRetire extends Retirable {

        @Override
        boolean isUnused() {
            return true;
        }

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = retire();
        }

        @Actor
        public void other(ZZ_Result r) {
            r.r2 = retire();
        }
    }

    /** Something in use is pinned while another looks for marks: it is never retired, though its use ends. */
    @JCStressTest
    @Outcome(id = "false, false", expect = ACCEPTABLE, desc = "pinned for good")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "retired, though it was pinned before")
    @State
    public static class RetireAgainstPin extends Retirable {

        private volatile boolean marked = true;

        @Override
        boolean isUnused() {
            return !marked;
        }

        @Actor
        public void use() {
            pin();
        }

        @Actor
        public void retire(ZZ_Result r) {
            r.r1 = retire();
        }

        @Arbiter
        public void retireOnceMore(ZZ_Result r) {
            marked = false;
            r.r2 = retire();
        }
    }

    /** A permit is taken from an engine while it is retired: it is never forgotten with the engine. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "taken, and the engine lives")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "retired, and the taker is sent on")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a take that a fresh engine would not know of")
    @State
    public static class RetireAgainstTake {

        private final PermitEngine engine = oneOfMany(Limit.of(1, Duration.ofSeconds(1)));

        @Actor
        public void take(ZZ_Result r) {
            r.r1 = engine.consumeHere(1) == 0;
        }

        @Actor
        public void retire(ZZ_Result r) {
            r.r2 = engine.retire();
        }
    }

    /** Somebody comes to wait while the engine is retired. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "waits, and the engine lives")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "retired, and the request is sent on")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "waits at an engine that is no more")
    @State
    public static class RetireAgainstWait {

        private final ManualTime time = new ManualTime();
        private final PermitEngine engine;

        public RetireAgainstWait() {
            Settings settings = new Settings();
            settings.name("one of many");
            settings.timeSource(time);
            Limit limit = Limit.of(1, Duration.ofNanos(100));
            engine = new PermitEngine(Terms.oneOfMany(settings, limit, (key, permits) -> {}), "key");
            engine.consumeHere(1);
        }

        @Actor
        public void await(ZZ_Result r) {
            r.r1 = engine.requestHere(1, PermitEngine.UNBOUNDED, lease -> {}) != null;
        }

        @Actor
        public void retire(ZZ_Result r) {
            time.set(100);
            r.r2 = engine.retire();
        }
    }

    /** The last one who waits leaves, and with it the drain, while another comes to wait: it is granted when the permit comes. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "granted")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "waits in a drain that nobody signals")
    @State
    public static class DrainRetiredAgainstArrival {

        private final PermitEngine engine = oneOfMany(Limit.concurrency(1));
        private final Lease held = engine.tryAcquire(1);
        private final PermitRequest last = engine.acquire(1, lease -> {});
        private volatile boolean granted;

        @Actor
        public void leave() {
            last.cancel();
        }

        @Actor
        public void arrive() {
            engine.acquire(1, lease -> granted = lease.isAcquired());
        }

        @Arbiter
        public void look(ZJ_Result r) {
            held.close();
            r.r1 = granted;
            r.r2 = engine.availablePermits();
        }
    }

    /** The last one who waits leaves, and with it the drain, while the limiter is paused. */
    @JCStressTest
    @Outcome(id = "false, 0", expect = ACCEPTABLE, desc = "paused")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "the pause went with the drain")
    @State
    public static class DrainRetiredAgainstPause {

        private final PermitEngine engine = oneOfMany(Limit.concurrency(2));
        private final Lease held = engine.tryAcquire(2);
        private final PermitRequest last = engine.acquire(1, lease -> {});

        @Actor
        public void leave() {
            last.cancel();
        }

        @Actor
        public void pause() {
            engine.pauseFor(Duration.ofSeconds(1));
        }

        @Arbiter
        public void look(ZJ_Result r) {
            held.close();
            r.r1 = engine.tryAcquire(1).isAcquired();
            r.r2 = engine.availablePermits();
        }
    }
}
