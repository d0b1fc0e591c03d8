package dev.weir;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.gate.CallGate;
import dev.weir.gate.GatedCall;
import dev.weir.gate.StreamWorker;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJ_Result;
import org.openjdk.jcstress.infra.results.IZJ_Result;
import org.openjdk.jcstress.infra.results.JZ_Result;
import org.openjdk.jcstress.infra.results.ZJZ_Result;

/** A call at its gate: either it begins and its permit is spent, or it does not and the permit is home. */
public final class CallGateStress {

    private CallGateStress() {}

    /** Counts how often it was begun; plain, as that is once at most. So is what it notes of its end, until nobody runs. */
    private static final class Call implements GatedCall<Integer, Object> {

        int begun;
        boolean ended;
        volatile boolean isRunning;

        /** Its worker, which is there, and which it does not use, as it does not wait. */
        private Executor worker() {
            StreamWorker<Call> worker = new StreamWorker<>(
                    UnaryOperator.identity(),
                    () -> this,
                    (call, task) -> task.run(),
                    released -> released.ended = true);
            worker.execute(() -> {});
            return worker;
        }

        /** Takes a while once it runs, as subscribing does, for another thread to end it meanwhile. */
        @Override
        public void subscribe(Lease lease) {
            begun++;
            isRunning = true;
            for (int i = 0; i < 100; i++) {
                Thread.onSpinWait();
            }
        }

        @Override
        public void requestFromSource(Object upstream, long elements) {}

        @Override
        public void cancelSource(Object upstream) {}

        @Override
        public void next(Integer element) {}

        /** Its source does not complete where nobody makes it do so. */
        @Override
        public void complete() {}

        @Override
        public void error(Throwable error) {
            begun = -1;
        }

        @Override
        public void discard(Integer element) {}

        @Override
        public void elementDropped(Integer element) {}

        @Override
        public void errorDropped(Throwable error) {
            begun = -3;
        }
    }

    /** The permit comes while the caller cancels. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "begun; the permit is spent")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "never begun; the permit is home")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a call for nobody, or a permit lost or found")
    @State
    public static class GrantAgainstCancel {

        private final ManualTime time = new ManualTime();
        private final RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofNanos(100)))
                .timeSource(time)
                .build();
        private final Call call = new Call();
        private final CallGate<Integer, Object> gate = new CallGate<>(limiter, 1, StreamOptions.defaults(), null, call);

        public GrantAgainstCancel() {
            limiter.tryConsume(1);
            gate.enter();
        }

        @Actor
        public void grant() {
            time.set(100);
            time.fire();
        }

        @Actor
        public void cancel() {
            gate.cancel();
        }

        @Arbiter
        public void look(IJ_Result r) {
            r.r1 = call.begun;
            r.r2 = limiter.availablePermits();
        }
    }

    /** The caller cancels while it enters, and the permit is there. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "begun; the permit is spent")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "never begun; the permit is home")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a call for nobody, or a permit lost or found")
    @State
    public static class EnterAgainstCancel {

        private final RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofNanos(100)))
                .timeSource(new ManualTime())
                .build();
        private final Call call = new Call();
        private final CallGate<Integer, Object> gate = new CallGate<>(limiter, 1, StreamOptions.defaults(), null, call);

        @Actor
        public void enter() {
            gate.enter();
        }

        @Actor
        public void cancel() {
            gate.cancel();
        }

        @Arbiter
        public void look(IJ_Result r) {
            r.r1 = call.begun;
            r.r2 = limiter.availablePermits();
        }
    }

    /** The permit comes back while the caller enters. */
    @JCStressTest
    @Outcome(id = "1, true, 0", expect = ACCEPTABLE, desc = "begun; the permit is out")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "left waiting beside a free permit, or begun twice")
    @State
    public static class EnterAgainstRelease {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        private final Lease held = limiter.tryAcquire();
        private final Call call = new Call();
        private final CallGate<Integer, Object> gate = new CallGate<>(limiter, 1, StreamOptions.defaults(), null, call);

        @Actor
        public void enter() {
            gate.enter();
        }

        @Actor
        public void release() {
            held.close();
        }

        @Arbiter
        public void look(IZJ_Result r) {
            r.r1 = call.begun;
            r.r2 = held.isAcquired();
            r.r3 = limiter.availablePermits();
        }
    }

    /** The call ends while the caller cancels: its permit comes back once, and what it holds is released. */
    @JCStressTest
    @Outcome(id = "1, true", expect = ACCEPTABLE, desc = "the permit is home, and nothing is held")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found, or what the call holds forgotten")
    @State
    public static class EndAgainstCancel {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        private final Call call = new Call();
        private final CallGate<Integer, Object> gate =
                new CallGate<>(limiter, 1, StreamOptions.defaults(), call.worker(), call);

        public EndAgainstCancel() {
            gate.enter();
        }

        @Actor
        public void end() {
            gate.complete();
        }

        @Actor
        public void cancel() {
            gate.cancel();
        }

        @Arbiter
        public void look(JZ_Result r) {
            r.r1 = limiter.availablePermits();
            r.r2 = call.ended;
        }
    }

    /** The call ends while the thread that began it returns from that: one of the two releases what it holds. */
    @JCStressTest
    @Outcome(id = "true, 1, true", expect = ACCEPTABLE, desc = "it has ended, and nothing is held")
    @Outcome(id = "false, 0, false", expect = ACCEPTABLE, desc = "it was not there yet, and goes on")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a permit lost or found, or what the call holds forgotten")
    @State
    public static class BeginAgainstEnd {

        private final RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        private final Call call = new Call();
        private final CallGate<Integer, Object> gate =
                new CallGate<>(limiter, 1, StreamOptions.defaults(), call.worker(), call);

        @Actor
        public void begin() {
            gate.enter();
        }

        @Actor
        public void end(ZJZ_Result r) {
            r.r1 = call.isRunning;
            if (r.r1) {
                gate.complete();
            }
        }

        @Arbiter
        public void look(ZJZ_Result r) {
            r.r2 = limiter.availablePermits();
            r.r3 = call.ended;
        }
    }
}
