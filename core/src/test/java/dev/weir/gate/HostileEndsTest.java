package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.DelegatingTime;
import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Subscribers, hooks, sources and timers that throw where a gate calls them: it ends all the same, and keeps nothing. */
class HostileEndsTest {

    private final PassingTime time = new PassingTime(new Random(1), 0);
    private final List<Object> dropped = new ArrayList<>();
    private final List<String> uncaught = new ArrayList<>();
    private final RateLimiter slot =
            RateLimiter.builder(Limit.concurrency(1)).timeSource(time).build();
    private final Hostile stream = new Hostile();

    @BeforeEach
    void catchWhatNobodyCatches() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown.getMessage()));
    }

    @AfterEach
    void catchNoMore() {
        Thread.currentThread().setUncaughtExceptionHandler(null);
    }

    private StreamOptions options() {
        return StreamOptions.defaults().buffer(8).onDropped(dropped::add);
    }

    private ElementGate<Integer> started(LimiterPlan<Integer> plan) {
        return started(plan, true);
    }

    private ElementGate<Integer> started(LimiterPlan<Integer> plan, boolean hasWorker) {
        ElementGate<Integer> gate = new ElementGate<>(plan, stream, hasWorker ? stream.worker : null);
        gate.start();
        gate.request(Long.MAX_VALUE);
        return gate;
    }

    /** The end of a worker is heard if there is one. */
    private void assertHeard(boolean hasWorker, String... beforeTheEnd) {
        List<String> expected = new ArrayList<>(List.of(beforeTheEnd));
        if (hasWorker) {
            expected.add("ended");
        }
        assertThat(stream.heard).isEqualTo(expected);
    }

    @Test
    @DisplayName(
            "a subscriber that throws has cancelled: what is held is dropped, and what waits for a permit asks no more")
    void subscriberThrows() {
        RateLimiter free = RateLimiter.of(Limit.unlimited());
        Lease out = slot.tryAcquire();
        ElementGate<Integer> gate = started(
                GatePlan.<Integer, String>perKey(key -> key.equals("1") ? slot : free, String::valueOf, options()));
        gate.offer(1);
        stream.throwing = "next";
        assertThatThrownBy(() -> gate.offer(2)).hasMessage("next");
        assertThat(gate.isCancelled()).isTrue();
        assertThat(dropped).containsExactly(1);
        assertThat(stream.heard).containsExactly("next 2", "cancelled", "ended");
        out.close();
        assertThat(slot.availablePermits()).isEqualTo(1);
        gate.offer(3);
        gate.fail(new IllegalStateException("late"));
        assertThat(dropped).containsExactly(1, 3);
        assertThat(uncaught).isEmpty();
    }

    @ParameterizedTest(name = "on a worker: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "a subscriber that throws when permits come for several: the rest is dropped, and the permit of its element is back")
    void subscriberThrowsAfterAWait(boolean hasWorker) {
        Lease out = slot.tryAcquire();
        ElementGate<Integer> gate = started(GatePlan.of(slot, options()), hasWorker);
        gate.offer(1);
        gate.offer(2);
        stream.throwing = "next";
        out.close();
        assertThat(uncaught).containsExactly("next");
        assertHeard(hasWorker, "next 1", "cancelled");
        assertThat(dropped).containsExactly(2);
        assertThat(slot.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest(name = "on a worker: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("a stream with keys drops the elements it holds if its subscriber throws after a wait")
    void subscriberThrowsAfterAWaitForAKey(boolean hasWorker) {
        Lease out = slot.tryAcquire();
        ElementGate<Integer> gate =
                started(GatePlan.<Integer, Integer>perKey(key -> slot, element -> element, options()), hasWorker);
        gate.offer(1);
        gate.offer(2);
        stream.throwing = "next";
        out.close();
        assertThat(uncaught).containsExactly("next");
        assertHeard(hasWorker, "next 1", "cancelled");
        assertThat(dropped).containsExactly(2);
        assertThat(slot.availablePermits()).isEqualTo(1);
        assertThat(slot.statistics().queuedPermits()).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = WhenFull.class,
            names = {"FAIL", "REJECT_NEW"})
    @DisplayName("an element that finds no room is dropped, too, if the subscriber throws at one that goes as it comes")
    void subscriberThrowsAsOneFindsNoRoom(WhenFull whenFull) {
        Lease out = slot.tryAcquire();
        List<Runnable> later = new ArrayList<>();
        StreamOptions small = options().buffer(1).whenFull(whenFull);
        ElementGate<Integer> gate = new ElementGate<>(GatePlan.of(slot, small), stream, later::add);
        gate.start();
        gate.request(Long.MAX_VALUE);
        gate.offer(1);
        out.close();
        stream.throwing = "next";
        assertThatThrownBy(() -> gate.offer(2)).hasMessage("next");
        assertThat(later).as("what had not run yet").hasSize(1);
        assertThat(dropped).containsExactly(2);
        assertThat(stream.heard).containsExactly("next 1", "cancelled");
        assertThat(slot.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "a hook for errors that throws: downstream hears how the stream ended, and the thread what the hook threw")
    void hookThrows() {
        Lease out = slot.tryAcquire();
        ElementGate<Integer> gate = started(GatePlan.of(slot, options().onDropped(element -> {
            throw new IllegalStateException("dropped " + element);
        })));
        gate.offer(1);
        gate.offer(2);
        stream.throwing = "errorDropped";
        gate.cancel();
        assertThat(stream.heard).containsExactly("cancelled", "discarded 1", "discarded 2", "ended");
        assertThat(uncaught).containsExactly("errorDropped", "errorDropped");
        out.close();
        assertThat(slot.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest(name = "on a worker: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "a hook for errors that throws where a refusal overtakes the error of the source: downstream hears the refusal")
    void hookThrowsAtTheEnd(boolean hasWorker) {
        slot.tryAcquire();
        ElementGate<Integer> gate = started(GatePlan.of(slot, options()), hasWorker);
        gate.offer(1);
        gate.fail(new IllegalStateException("overtaken"));
        stream.throwing = "errorDropped";
        slot.close();
        assertHeard(hasWorker, "discarded 1", "RateLimitExceededException");
        assertThat(uncaught).containsExactly("errorDropped");
    }

    @Test
    @DisplayName(
            "a timer that cannot be cancelled, as one who waits goes: downstream hears how the stream ended, and of the timer")
    void timerThrows() {
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofSeconds(1)))
                .timeSource(new DelegatingTime(time) {
                    @Override
                    public Cancellable schedule(Runnable task, long delayNanos) {
                        return () -> {
                            throw new IllegalStateException("timer");
                        };
                    }
                })
                .build();
        limiter.tryConsume(1);
        ElementGate<Integer> gate = started(GatePlan.of(limiter, options().errorsCutAhead()));
        gate.offer(1);
        gate.fail(new IllegalArgumentException("source"));
        assertThat(stream.heard).containsExactly("discarded 1", "IllegalArgumentException", "ended");
        assertThat(stream.error).hasSuppressedException(new IllegalStateException("timer"));
        assertThat(dropped).containsExactly(1);
        assertThat(limiter.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("a limiter of the stream's own that fails as the last of a handful is paid: the stream fails")
    void handThrows() {
        boolean[] broken = {false};
        RateLimiter own = RateLimiter.builder(Limit.of(1_000, Duration.ofSeconds(1)))
                .timeSource(new DelegatingTime(time) {
                    @Override
                    public long nanoTime() {
                        if (broken[0]) {
                            throw new IllegalArgumentException("clock");
                        }
                        return super.nanoTime();
                    }
                })
                .build();
        ElementGate<Integer> gate = new ElementGate<>(OneLimiterPlan.own(own, time, options()), stream, null);
        gate.start();
        for (int element = 1; element <= 8; element++) {
            gate.offer(element);
        }
        stream.onNext = () -> broken[0] = stream.heard.size() == 4;
        gate.request(4);
        assertThat(stream.heard)
                .startsWith("next 1", "next 2", "next 3", "next 4")
                .endsWith("IllegalArgumentException");
        assertThat(dropped).containsExactly(5, 6, 7, 8);
    }

    @Test
    @DisplayName("a source that throws when it is cancelled: what is held is dropped, and the request is withdrawn")
    void sourceThrows() {
        Lease out = slot.tryAcquire();
        ElementGate<Integer> gate = started(GatePlan.of(slot, options()));
        gate.offer(1);
        stream.throwing = "cancelled";
        gate.cancel();
        assertThat(stream.heard).containsExactly("cancelled", "discarded 1", "dropped cancelled", "ended");
        out.close();
        assertThat(slot.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest(name = "on a worker: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("a source that throws when more is requested of it after a wait: downstream hears that, once")
    void requestThrows(boolean hasWorker) {
        Lease out = slot.tryAcquire();
        ElementGate<Integer> gate = started(GatePlan.of(slot, ahead()), hasWorker);
        for (int element = 1; element <= 4; element++) {
            gate.offer(element);
        }
        stream.throwing = "requested";
        out.close();
        assertHeard(hasWorker, "next 1", "next 2", "next 3", "cancelled", "discarded 4", "IllegalStateException");
        assertThat(stream.error).hasMessage("requested");
        assertThat(dropped).containsExactly(4);
        assertThat(uncaught).isEmpty();
        assertThat(slot.availablePermits()).isEqualTo(1);
        assertThat(gate.isEnded()).isTrue();
    }

    @ParameterizedTest(name = "on a worker: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("a source that throws at a request during a cancel is reported once, and to no thread")
    void requestThrowsAsDownstreamCancels(boolean hasWorker) {
        Lease out = slot.tryAcquire();
        ElementGate<Integer> gate = started(GatePlan.of(slot, ahead()), hasWorker);
        for (int element = 1; element <= 4; element++) {
            gate.offer(element);
        }
        stream.onRequest = gate::cancel;
        stream.throwing = "requested";
        out.close();
        assertHeard(hasWorker, "next 1", "next 2", "next 3", "cancelled", "discarded 4");
        assertThat(stream.late).containsExactly("requested");
        assertThat(uncaught).isEmpty();
        assertThat(slot.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a source that throws at a request fails the stream also at its start and without a wait")
    void requestThrowsAtOnce() {
        stream.throwing = "requested";
        started(GatePlan.of(slot, ahead()));
        assertThat(stream.heard).containsExactly("cancelled", "IllegalStateException", "ended");
        stream.heard.clear();
        stream.throwing = "";
        stream.onRequest = () -> {
            throw new AssertionError("requested");
        };
        started(GatePlan.of(slot, ahead()), false);
        assertThat(stream.heard).containsExactly("cancelled", "AssertionError");
        stream.heard.clear();
        stream.onRequest = () -> {};
        ElementGate<Integer> gate = started(GatePlan.of(RateLimiter.of(Limit.unlimited()), ahead()), false);
        stream.throwing = "requested";
        for (int element = 1; element <= 3; element++) {
            gate.offer(element);
        }
        assertThat(stream.heard).containsExactly("next 1", "next 2", "next 3", "cancelled", "IllegalStateException");
        assertThat(dropped).isEmpty();
    }

    @Test
    @DisplayName("a subscriber that throws at what the source sends as the stream starts: the thread hears of it")
    void subscriberThrowsWithinTheRequest() {
        ElementGate<Integer> gate = new ElementGate<>(GatePlan.of(slot, ahead()), stream, stream.worker);
        gate.request(Long.MAX_VALUE);
        stream.onRequest = () -> gate.offer(1);
        stream.throwing = "next";
        assertThatThrownBy(gate::start).hasMessage("next");
        assertThat(stream.heard).containsExactly("next 1", "cancelled", "ended");
        assertThat(slot.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "a source that fails fatally at the first request has its stream cancelled, and the thread hears of it")
    void firstRequestThrowsFatally() {
        LinkageError fatal = new LinkageError("fatal");
        ElementGate<Integer> gate = new ElementGate<>(GatePlan.of(slot, ahead()), stream, stream.worker);
        gate.request(Long.MAX_VALUE);
        stream.throwing = "fatal";
        stream.onRequest = () -> {
            throw fatal;
        };
        assertThatThrownBy(gate::start).isSameAs(fatal);
        assertThat(stream.heard).containsExactly("cancelled", "ended");
        assertThat(gate.isEnded()).isTrue();
    }

    @Test
    @DisplayName("a source that throws at the first request during a cancel is reported once, and to no thread")
    void firstRequestThrowsAsDownstreamCancels() {
        ElementGate<Integer> gate = new ElementGate<>(GatePlan.of(slot, ahead()), stream, stream.worker);
        gate.request(Long.MAX_VALUE);
        stream.onRequest = () -> {
            gate.offer(1);
            gate.cancel();
        };
        stream.throwing = "requested";
        gate.start();
        assertThat(stream.heard).containsExactly("next 1", "cancelled", "ended");
        assertThat(stream.late).containsExactly("requested");
        assertThat(slot.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "a cost function that fails fatally at what the source sends as the stream starts: the thread hears of it")
    void fatalFailureWithinTheRequest() {
        LinkageError fatal = new LinkageError("fatal");
        LimiterPlan<Integer> plan = GatePlan.weighted(
                slot,
                element -> {
                    throw fatal;
                },
                ahead());
        ElementGate<Integer> gate = new ElementGate<>(plan, stream, stream.worker);
        gate.request(Long.MAX_VALUE);
        stream.onRequest = () -> gate.offer(1);
        stream.throwing = "fatal";
        assertThatThrownBy(gate::start).isSameAs(fatal);
        assertThat(stream.heard).containsExactly("discarded 1", "cancelled", "ended");
        assertThat(stream.late).isEmpty();
    }

    /** Asks for three more elements once three of four have left. */
    private StreamOptions ahead() {
        return StreamOptions.defaults().prefetch(4).onDropped(dropped::add);
    }

    @Test
    @DisplayName("a hook that throws instead of making the error for what finds no room: the stream fails with that")
    void overflowThrows() {
        slot.tryAcquire();
        ElementGate<Integer> gate = overflowing(true);
        slot.close();
        assertThat(stream.heard).startsWith("discarded 2", "cancelled").endsWith("ended");
        assertThat(dropped).containsExactly(2, 1);
        assertThat(gate.isEnded()).isTrue();
    }

    private ElementGate<Integer> overflowing(boolean hasWorker) {
        ElementGate<Integer> gate =
                started(GatePlan.of(slot, StreamOptions.defaults().buffer(1).onDropped(dropped::add)), hasWorker);
        gate.offer(1);
        stream.throwing = "overflow";
        gate.offer(2);
        assertThat(dropped).containsExactly(2);
        return gate;
    }

    @ParameterizedTest(name = "on a worker: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("a hook that throws at overflow fails the stream with its error, after the held elements")
    void overflowThrowsAfterWhatIsHeld(boolean hasWorker) {
        Lease out = slot.tryAcquire();
        ElementGate<Integer> gate = overflowing(hasWorker);
        out.close();
        assertHeard(hasWorker, "discarded 2", "cancelled", "next 1", "IllegalStateException");
        assertThat(stream.error).hasMessage("overflow");
        assertThat(dropped).containsExactly(2);
        assertThat(gate.isEnded()).isTrue();
    }

    @Test
    @DisplayName("a hook that throws as the function of a cost has failed: the stream fails with what the hook threw")
    void functionFailedThrows() {
        ElementGate<Integer> gate = started(GatePlan.weighted(
                slot,
                element -> {
                    throw new IllegalArgumentException("cost");
                },
                options()));
        stream.throwing = "functionFailed";
        gate.offer(1);
        assertThat(dropped).containsExactly(1);
        assertThat(stream.heard).containsExactly("discarded 1", "cancelled", "IllegalStateException", "ended");
        assertThat(stream.error).hasMessage("functionFailed");
    }

    @Test
    @DisplayName("a hook that throws just what it is given does not make it fatal: the stream fails with it")
    void hookRethrows() {
        stream.throwing = "rethrow";
        IllegalArgumentException thrown = new IllegalArgumentException("foreign");
        List<LimiterPlan<Integer>> plans = List.of(
                GatePlan.weighted(
                        slot,
                        element -> {
                            throw thrown;
                        },
                        options()),
                GatePlan.<Integer, Integer>perKey(
                        key -> {
                            throw thrown;
                        },
                        element -> element,
                        options()));
        for (LimiterPlan<Integer> plan : plans) {
            stream.heard.clear();
            ElementGate<Integer> gate = started(plan, false);
            gate.offer(1);
            assertThat(stream.heard).containsExactly("discarded 1", "cancelled", "IllegalArgumentException");
            assertThat(stream.error).isSameAs(thrown);
            assertThat(gate.isCancelled()).isFalse();
        }
        stream.onRequest = () -> {
            throw thrown;
        };
        stream.heard.clear();
        started(GatePlan.of(slot, ahead()), false);
        assertThat(stream.heard).containsExactly("cancelled", "IllegalArgumentException");
    }

    @Test
    @DisplayName(
            "a hook that throws on what the function of a cost has thrown, as that is fatal: nothing is left behind")
    void fatalFailure() {
        LinkageError fatal = new LinkageError("fatal");
        slot.tryAcquire();
        ElementGate<Integer> gate = started(GatePlan.weighted(
                slot,
                element -> {
                    if (element == 2) {
                        throw fatal;
                    }
                    return 1;
                },
                options()));
        gate.offer(1);
        stream.throwing = "fatal";
        assertThatThrownBy(() -> gate.offer(2)).isSameAs(fatal);
        assertThat(dropped).containsExactly(2, 1);
        assertThat(stream.heard).containsExactly("discarded 2", "cancelled", "discarded 1", "ended");
        assertThat(slot.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("a limit function that fails fatally: downstream has cancelled, and the source has it back")
    void fatalLimitFunction() {
        LinkageError fatal = new LinkageError("fatal");
        ElementGate<Integer> gate = started(GatePlan.<Integer, Integer>perKey(
                key -> {
                    throw fatal;
                },
                element -> element,
                options()));
        stream.throwing = "fatal";
        assertThatThrownBy(() -> gate.offer(1)).isSameAs(fatal);
        assertThat(dropped).containsExactly(1);
        assertThat(stream.heard).containsExactly("discarded 1", "cancelled", "ended");
    }

    @Test
    @DisplayName("a subscriber that throws when it hears of the end: the gate lets go of what it holds")
    void subscriberThrowsAtTheEnd() {
        ElementGate<Integer> gate = started(GatePlan.of(slot, options()));
        stream.throwing = "complete";
        assertThatThrownBy(gate::complete).hasMessage("complete");
        assertThat(stream.heard).containsExactly("complete", "ended");
    }

    @ParameterizedTest
    @ValueSource(strings = {"complete", "cancel", "next"})
    @DisplayName(
            "a worker that throws when it is released, however the stream ends: the hook for late errors hears of it")
    void workerThrows(String end) {
        Executor worker = RecordingWorker.of(stream.heard, Runnable::run, () -> {
            throw new IllegalStateException("worker");
        });
        ElementGate<Integer> gate = new ElementGate<>(GatePlan.of(slot, options()), stream, worker);
        gate.start();
        gate.request(1);
        stream.throwing = end;
        switch (end) {
            case "complete" -> assertThatThrownBy(gate::complete).hasMessage("complete");
            case "cancel" -> gate.cancel();
            default -> assertThatThrownBy(() -> gate.offer(1)).hasMessage("next");
        }
        assertThat(stream.heard).contains("ended");
        assertThat(stream.late).containsExactly("worker");
        gate.offer(2);
        assertThat(dropped).as("the drain is not locked").containsExactly(2);
        assertThat(gate.isEnded()).isTrue();
    }

    @Test
    @DisplayName(
            "a discard hook that throws, against the rules: the other elements are dropped, the thread hears of it")
    void discardThrows() {
        Lease out = slot.tryAcquire();
        ElementGate<Integer> gate = started(GatePlan.of(slot, options()));
        gate.offer(1);
        gate.offer(2);
        stream.throwing = "discarded";
        gate.cancel();
        assertThat(dropped).containsExactly(1, 2);
        assertThat(uncaught).containsExactly("discarded", "discarded");
        assertThat(stream.heard).containsExactly("cancelled", "discarded 1", "discarded 2", "ended");
        out.close();
        assertThat(slot.availablePermits()).isEqualTo(1);
    }

    private static final class Hostile extends TestStream {

        private final List<String> heard = new ArrayList<>();
        private final List<String> late = new ArrayList<>();
        private final Executor worker = RecordingWorker.of(heard, Runnable::run);
        private String throwing = "";
        private Runnable onNext = () -> {};
        private Runnable onRequest = () -> {};
        private Throwable error = new AssertionError("none");

        private void hear(String what, String told) {
            if (!told.isEmpty()) {
                heard.add(told);
            }
            if (what.equals(throwing)) {
                throw new IllegalStateException(what);
            }
        }

        @Override
        public boolean next(Integer element) {
            hear("next", "next " + element);
            onNext.run();
            return true;
        }

        @Override
        public void complete() {
            hear("complete", "complete");
        }

        @Override
        public void error(Throwable failure) {
            error = failure;
            hear("error", failure.getClass().getSimpleName());
        }

        @Override
        public void requestFromSource(long elements) {
            onRequest.run();
            hear("requested", "");
        }

        @Override
        public void cancelSource() {
            hear("cancelled", "cancelled");
        }

        @Override
        public void discard(Integer element) {
            if (throwing.equals("next")) {
                return;
            }
            hear("discarded", "discarded " + element);
        }

        @Override
        public void errorDropped(Throwable failure) {
            late.add(failure.getMessage());
            hear("errorDropped", throwing.equals("cancelled") ? "dropped " + failure.getMessage() : "");
        }

        @Override
        public Throwable overflow(Integer element) {
            hear("overflow", "");
            return super.overflow(element);
        }

        @Override
        public void throwIfFatal(Throwable thrown) {
            if (throwing.equals("fatal") && thrown instanceof Error fatal) {
                throw fatal;
            }
        }

        @Override
        public @Nullable Throwable functionFailed(Integer element, Throwable failure) {
            hear("functionFailed", "");
            rethrow(failure);
            return super.functionFailed(element, failure);
        }

        @Override
        public Throwable sourceFailed(Throwable failure) {
            hear("sourceFailed", "");
            rethrow(failure);
            return super.sourceFailed(failure);
        }

        private void rethrow(Throwable failure) {
            if (throwing.equals("rethrow") && failure instanceof RuntimeException given) {
                throw given;
            }
        }
    }
}
