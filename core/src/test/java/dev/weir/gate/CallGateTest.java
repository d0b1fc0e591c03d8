package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

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

    private final GatedCall call = new GatedCall() {
        @Override
        public void begin(Lease lease) {
            heard.add("begun");
            onBegin.run();
        }

        @Override
        public void refused(Throwable error) {
            heard.add("refused");
        }

        @Override
        public void skipped(Throwable error) {
            heard.add("skipped");
        }

        @Override
        public void errorDropped(Throwable error) {
            throw new AssertionError(error);
        }
    };

    private final CallGate gate =
            new CallGate(limiter, 1, StreamOptions.defaults(), RecordingWorker.of(heard, Runnable::run), call);

    @Test
    @DisplayName("after a wait it begins where the permit is granted, if there is no executor")
    void whereThePermitIsGranted() {
        endsAfterAWait(new CallGate(limiter, 1, StreamOptions.defaults(), null, call));
        assertThat(heard).containsExactly("begun", "told, permits 1");
    }

    @Test
    @DisplayName("a call that ends gives its permit back, then tells downstream, then releases its worker")
    void workerLast() {
        endsAfterAWait(gate);
        assertThat(heard).containsExactly("begun", "told, permits 1", "ended");
    }

    private void endsAfterAWait(CallGate gate) {
        Lease taken = limiter.tryAcquire();
        gate.enter();
        assertThat(heard).isEmpty();
        taken.close();
        assertThat(heard).containsExactly("begun");
        assertThat(limiter.availablePermits()).isZero();
        gate.end(() -> heard.add("told, permits " + limiter.availablePermits()));
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
            "cancelled after its end, before downstream was told: what it holds is released, as nobody may tell any more")
    void cancelledAfterItsEnd() {
        gate.enter();
        gate.end();
        assertThat(heard).containsExactly("begun");
        assertThat(gate.cancel()).isFalse();
        assertThat(heard).containsExactly("begun", "ended");
    }

    static List<RuntimeException> errorsOfTheCall() {
        return List.of(new IllegalStateException("on purpose"), new RejectedExecutionException("of the call itself"));
    }

    @ParameterizedTest
    @MethodSource("errorsOfTheCall")
    @DisplayName("an error of the call on an executor that runs it at once is not taken for a rejection")
    void throwsOnAnExecutorThatRunsItAtOnce(RuntimeException error) {
        Lease taken = limiter.tryAcquire();
        List<Throwable> thrownBack = new ArrayList<>();
        CallGate direct = new CallGate(
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
        onBegin = () -> {
            throw error;
        };
        List<Throwable> uncaught = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
        taken.close();
        Thread.currentThread().setUncaughtExceptionHandler(null);
        assertThat(heard).containsExactly("begun");
        assertThat(uncaught).isEqualTo(thrownBack).containsExactly(error);
    }
}
