package dev.weir;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.gate.ElementGate;
import dev.weir.gate.GatePlan;
import dev.weir.gate.LimiterPlan;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.function.Function;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LJ_Result;

/**
 * An element at its gate: delivered or dropped, exactly once, whatever comes between; a permit is spent for each that was
 * delivered, and for no other.
 */
public final class ElementGateStress {

    private ElementGateStress() {}

    /** A stream of two elements read ahead, behind a limit of so many permits in 100 ns. */
    private static final class Stream {

        final ManualTime time = new ManualTime();
        final Heard heard = new Heard();
        final RateLimiter limiter;
        final ElementGate<String> gate;

        Stream(int permits) {
            this(
                    permits,
                    limiter -> GatePlan.of(limiter, StreamOptions.defaults().prefetch(2)));
        }

        private Stream(int permits, Function<RateLimiter, LimiterPlan<String>> plan) {
            limiter = RateLimiter.builder(Limit.of(permits, Duration.ofNanos(100)))
                    .timeSource(time)
                    .build();
            gate = new ElementGate<>(plan.apply(limiter), heard, null);
            gate.start();
        }

        /** The same with all permits taken, elements held, and demand for one. */
        static Stream waiting(int permits, int elements) {
            Stream stream = new Stream(permits);
            stream.limiter.tryConsume(permits);
            for (int i = 0; i < elements; i++) {
                stream.gate.offer("element");
            }
            stream.gate.request(1);
            return stream;
        }

        /** Two keys, which share a limiter, with an element each that waits. */
        static Stream keyed() {
            Stream stream = new Stream(
                    2, limiter -> GatePlan.perKey(key -> limiter, element -> element, StreamOptions.defaults()));
            stream.limiter.tryConsume(2);
            stream.gate.request(2);
            stream.gate.offer("one");
            stream.gate.offer("other");
            return stream;
        }

        void permitsCome() {
            time.set(100);
            time.fire();
        }

        void look(LJ_Result r) {
            r.r1 = heard.summary();
            r.r2 = limiter.availablePermits();
        }
    }

    /** The permit comes while downstream cancels. */
    @JCStressTest
    @Outcome(id = "delivered 1 dropped 0 open, 0", expect = ACCEPTABLE, desc = "delivered; the permit is spent")
    @Outcome(id = "delivered 0 dropped 1 open, 1", expect = ACCEPTABLE, desc = "dropped; the permit is home")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "an element or a permit lost or found")
    @State
    public static class GrantAgainstCancel {

        private final Stream stream = Stream.waiting(1, 1);

        @Actor
        public void grant() {
            stream.permitsCome();
        }

        @Actor
        public void cancel() {
            stream.gate.cancel();
        }

        @Arbiter
        public void look(LJ_Result r) {
            stream.look(r);
        }
    }

    /** The permits of two keys come while downstream cancels, which withdraws the requests that the drain serves. */
    @JCStressTest
    @Outcome(id = "delivered 2 dropped 0 open, 0", expect = ACCEPTABLE, desc = "both delivered; the permits are spent")
    @Outcome(id = "delivered 1 dropped 1 open, 1", expect = ACCEPTABLE, desc = "one delivered; its permit is spent")
    @Outcome(id = "delivered 0 dropped 2 open, 2", expect = ACCEPTABLE, desc = "both dropped; the permits are home")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "an element or a permit lost or found")
    @State
    public static class KeyedGrantsAgainstCancel {

        private final Stream stream = Stream.keyed();

        @Actor
        public void grant() {
            stream.permitsCome();
        }

        @Actor
        public void cancel() {
            stream.gate.cancel();
        }

        @Arbiter
        public void look(LJ_Result r) {
            stream.look(r);
        }
    }

    /** Two permits come while downstream asks for the second element. */
    @JCStressTest
    @Outcome(id = "delivered 2 dropped 0 open, 0", expect = ACCEPTABLE, desc = "both delivered")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "an element forgotten, or signals that overlap")
    @State
    public static class RequestAgainstGrant {

        private final Stream stream = Stream.waiting(2, 2);

        @Actor
        public void grant() {
            stream.permitsCome();
        }

        @Actor
        public void request() {
            stream.gate.request(1);
        }

        @Arbiter
        public void look(LJ_Result r) {
            stream.look(r);
        }
    }

    /** The permit comes while the source completes: the element, and then the end. */
    @JCStressTest
    @Outcome(id = "delivered 1 dropped 0 complete, 0", expect = ACCEPTABLE, desc = "the element, then the end")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "an end before the element, or none, or signals that overlap")
    @State
    public static class CompleteAgainstGrant {

        private final Stream stream = Stream.waiting(1, 1);

        @Actor
        public void grant() {
            stream.permitsCome();
        }

        @Actor
        public void complete() {
            stream.gate.complete();
        }

        @Arbiter
        public void look(LJ_Result r) {
            stream.look(r);
        }
    }

    /** An element arrives, to be passed on at once, while downstream cancels. */
    @JCStressTest
    @Outcome(id = "delivered 1 dropped 0 open, 0", expect = ACCEPTABLE, desc = "delivered; the permit is spent")
    @Outcome(id = "delivered 0 dropped 1 open, 1", expect = ACCEPTABLE, desc = "dropped; no permit is taken")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "an element or a permit lost or found")
    @State
    public static class OfferAgainstCancel {

        private final Stream stream = new Stream(1);

        public OfferAgainstCancel() {
            stream.gate.request(1);
        }

        @Actor
        public void offer() {
            stream.gate.offer("element");
        }

        @Actor
        public void cancel() {
            stream.gate.cancel();
        }

        @Arbiter
        public void look(LJ_Result r) {
            stream.look(r);
        }
    }

    /** An element arrives while downstream asks for it. */
    @JCStressTest
    @Outcome(id = "delivered 1 dropped 0 open, 0", expect = ACCEPTABLE, desc = "delivered")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "an element forgotten beside its demand")
    @State
    public static class OfferAgainstRequest {

        private final Stream stream = new Stream(1);

        @Actor
        public void offer() {
            stream.gate.offer("element");
        }

        @Actor
        public void request() {
            stream.gate.request(1);
        }

        @Arbiter
        public void look(LJ_Result r) {
            stream.look(r);
        }
    }

    /** The second element arrives while the permits for both come, and downstream has asked for both. */
    @JCStressTest
    @Outcome(id = "delivered 2 dropped 0 open, 0", expect = ACCEPTABLE, desc = "both delivered")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "an element forgotten, or signals that overlap")
    @State
    public static class OfferAgainstGrant {

        private final Stream stream = Stream.waiting(2, 1);

        public OfferAgainstGrant() {
            stream.gate.request(1);
        }

        @Actor
        public void grant() {
            stream.permitsCome();
        }

        @Actor
        public void offer() {
            stream.time.set(100);
            stream.gate.offer("element");
        }

        @Arbiter
        public void look(LJ_Result r) {
            stream.look(r);
        }
    }

    /** The limiter is closed while the permit comes. */
    @JCStressTest
    @Outcome(id = "delivered 1 dropped 0 open, 0", expect = ACCEPTABLE, desc = "delivered; the permit is spent")
    @Outcome(id = "delivered 0 dropped 1 error, 1", expect = ACCEPTABLE, desc = "the stream fails; the permit is home")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "an element or a permit lost or found, or no end")
    @State
    public static class GrantAgainstClose {

        private final Stream stream = Stream.waiting(1, 1);

        @Actor
        public void grant() {
            stream.permitsCome();
        }

        @Actor
        public void close() {
            stream.limiter.close();
        }

        @Arbiter
        public void look(LJ_Result r) {
            stream.look(r);
        }
    }
}
