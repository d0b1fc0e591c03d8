package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** When a call begins, and what is released when, on one thread. */
class CallGateTest {

    private final PassingTime time = new PassingTime(() -> 0);
    private final List<String> heard = new ArrayList<>();
    private Runnable onQueued = () -> {};
    private Runnable onAcquired = () -> {};
    private Runnable onBegin = () -> {};
    private Runnable onNext = () -> {};
    private Runnable onEnd = () -> {};

    private final RateLimiterObserver observer = new RateLimiterObserver() {
        @Override
        public void onQueued(int permits) {
            onQueued.run();
        }

        @Override
        public void onAcquired(int permits, long waitedNanos) {
            onAcquired.run();
        }
    };

    private final RateLimiter limiter = RateLimiter.builder(Limit.concurrency(1))
            .timeSource(time)
            .observer(observer)
            .build();

    private final GatedCall<Integer, String> call = new QuietCall<>() {
        @Override
        public void subscribe(Lease lease) {
            heard.add("begun");
            onBegin.run();
        }

        @Override
        public void next(Integer element) {
            heard.add("element, permits " + limiter.availablePermits());
            onNext.run();
        }

        @Override
        public void error(Throwable error) {
            heard.add("error " + error.getMessage());
            onEnd.run();
        }

        @Override
        public void complete() {
            heard.add("complete, permits " + limiter.availablePermits());
            onEnd.run();
        }

        @Override
        public void discard(Integer element) {
            heard.add("discarded");
        }

        @Override
        public void elementDropped(Integer element) {
            heard.add("dropped");
        }

        @Override
        public void requestFromSource(String upstream, long elements) {
            heard.add(upstream + " requested " + elements);
        }

        @Override
        public void cancelSource(String upstream) {
            heard.add(upstream + " cancelled");
        }

        @Override
        public void throwIfFatal(Throwable thrown) {
            if (thrown instanceof OutOfMemoryError fatal) {
                throw fatal;
            }
        }

        @Override
        public Throwable sourceFailed(Throwable failure) {
            return new IllegalArgumentException("of the source: " + failure.getMessage());
        }

        @Override
        public void errorDropped(Throwable error) {
            heard.add("error dropped " + error.getMessage());
        }
    };

    private final CallGate<Integer, String> gate =
            new CallGate<>(limiter, 1, StreamOptions.defaults(), RecordingWorker.of(heard, Runnable::run), call);

    @Test
    @DisplayName("after a wait it begins where the permit is granted, if there is no executor")
    void whereThePermitIsGranted() {
        endsAfterAWait(new CallGate<>(limiter, 1, StreamOptions.defaults(), null, call));
        assertThat(heard).containsExactly("begun", "complete, permits 1");
    }

    @Test
    @DisplayName("a call that ends gives its permit back, then tells downstream, then releases its worker")
    void workerLast() {
        endsAfterAWait(gate);
        assertThat(heard).containsExactly("begun", "complete, permits 1", "ended");
    }

    private void endsAfterAWait(CallGate<Integer, String> gate) {
        Lease taken = limiter.tryAcquire();
        gate.enter();
        assertThat(heard).isEmpty();
        taken.close();
        assertThat(heard).containsExactly("begun");
        assertThat(limiter.availablePermits()).isZero();
        gate.complete();
    }

    @Test
    @DisplayName("cancelled while it asks: it waits for no permit")
    void cancelledAsItAsks() {
        Lease taken = limiter.tryAcquire();
        onQueued = gate::cancel;
        gate.enter();
        assertThat(heard).containsExactly("ended");
        assertThat(limiter.statistics().queuedPermits()).isZero();
        taken.close();
        assertThat(heard).containsExactly("ended");
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("cancelled between the grant of its permit and the news of it: the permit goes back")
    void cancelledAsItIsGranted() {
        Lease taken = limiter.tryAcquire();
        gate.enter();
        onAcquired = gate::cancel;
        taken.close();
        assertThat(heard).containsExactly("ended");
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "the permit is back when downstream receives the last element; cancelled then, the worker is released at once")
    void cancelledInItsLastElement() {
        gate.enter();
        onNext = gate::cancel;
        gate.last(1);
        assertThat(heard).containsExactly("begun", "element, permits 1", "ended");
        gate.complete();
        assertThat(heard).containsExactly("begun", "element, permits 1", "ended");
    }

    @Test
    @DisplayName("an element before the last does not return the permit; a success returns it, and is the end")
    void elements() {
        gate.enter();
        gate.next(1);
        gate.success(2);
        gate.complete();
        assertThat(heard).containsExactly("begun", "element, permits 0", "element, permits 1", "ended");
        assertThat(gate.isEnded()).isTrue();
        assertThat(gate.isCancelled()).isFalse();
    }

    @Test
    @DisplayName("after the end elements and errors are dropped; after cancellation elements are discarded")
    void late() {
        gate.enter();
        gate.complete();
        gate.next(1);
        gate.last(2);
        gate.fail(new IllegalStateException("late"));
        assertThat(heard).endsWith("dropped", "dropped", "error dropped late");
        heard.clear();
        CallGate<Integer, String> cancelled = new CallGate<>(limiter, 1, StreamOptions.defaults(), null, call);
        cancelled.enter();
        cancelled.arrives("upstream");
        cancelled.cancel();
        cancelled.next(1);
        cancelled.last(2);
        cancelled.complete();
        cancelled.fail(new IllegalStateException("late"));
        assertThat(heard)
                .containsExactly("begun", "upstream cancelled", "discarded", "discarded", "error dropped late");
        assertThat(cancelled.isCancelled()).isTrue();
        assertThat(cancelled.isEnded()).isFalse();
    }

    @Test
    @DisplayName(
            "a source that throws as it is subscribed fails the call; what it has sent by then is cancelled before")
    void sourceThrows() {
        onBegin = () -> {
            gate.request(3);
            gate.arrives("upstream");
            throw new IllegalStateException("on purpose");
        };
        gate.enter();
        assertThat(heard)
                .containsExactly(
                        "begun",
                        "upstream requested 3",
                        "upstream cancelled",
                        "error of the source: on purpose",
                        "ended");
        assertThat(gate.isEnded()).isTrue();
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("if it throws after its end, that is dropped")
    void sourceThrowsAfterItsEnd() {
        onBegin = () -> {
            gate.complete();
            throw new IllegalStateException("on purpose");
        };
        gate.enter();
        assertThat(heard)
                .containsExactly("begun", "complete, permits 1", "ended", "error dropped of the source: on purpose");
    }

    @Test
    @DisplayName("what is fatal leaves through whoever enters, and nothing is left behind")
    void fatal() {
        OutOfMemoryError fatal = new OutOfMemoryError("on purpose");
        onBegin = () -> {
            gate.arrives("upstream");
            throw fatal;
        };
        assertThatThrownBy(gate::enter).isSameAs(fatal);
        assertThat(heard).containsExactly("begun", "upstream cancelled", "ended");
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("what downstream throws at an element has cancelled the call, and is no failure of the source")
    void downstreamThrowsAtAnElement() {
        onNext = () -> {
            throw new IllegalStateException("downstream");
        };
        onBegin = () -> {
            gate.arrives("upstream");
            gate.next(1);
        };
        assertThatThrownBy(gate::enter).hasMessage("downstream");
        assertThat(heard).containsExactly("begun", "element, permits 0", "upstream cancelled", "ended");
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("what downstream throws at the end is no failure of the source, nor hides that the call is over")
    void downstreamThrowsAtTheEnd() {
        onEnd = () -> {
            throw new IllegalStateException("downstream");
        };
        onBegin = gate::complete;
        assertThatThrownBy(gate::enter).hasMessage("downstream");
        assertThat(heard).containsExactly("begun", "complete, permits 1", "ended");
    }

    @Test
    @DisplayName(
            "a source that throws a rejection, after a wait, fails the call with it: the executor has run the call")
    void sourceThrowsARejection() {
        Lease taken = limiter.tryAcquire();
        gate.enter();
        onBegin = () -> {
            throw new RejectedExecutionException("on purpose");
        };
        taken.close();
        assertThat(heard).containsExactly("begun", "error of the source: on purpose", "ended");
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    static List<RuntimeException> errorsOfDownstream() {
        return List.of(new IllegalStateException("on purpose"), new RejectedExecutionException("of downstream itself"));
    }

    @ParameterizedTest
    @MethodSource("errorsOfDownstream")
    @DisplayName("what downstream throws on an executor that runs the call at once is not taken for a rejection")
    void throwsOnAnExecutorThatRunsItAtOnce(RuntimeException error) {
        Lease taken = limiter.tryAcquire();
        List<Throwable> thrownBack = new ArrayList<>();
        CallGate<Integer, String> direct = new CallGate<>(
                limiter,
                1,
                StreamOptions.defaults(),
                task -> {
                    try {
                        task.run();
                    } catch (RuntimeException thrown) {
                        thrownBack.add(thrown);
                        throw thrown;
                    }
                },
                call);
        direct.enter();
        onBegin = () -> direct.next(1);
        onNext = () -> {
            throw error;
        };
        List<Throwable> uncaught = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
        taken.close();
        Thread.currentThread().setUncaughtExceptionHandler(null);
        assertThat(heard).containsExactly("begun", "element, permits 0");
        assertThat(uncaught).isEqualTo(thrownBack).containsExactly(error);
    }
}
