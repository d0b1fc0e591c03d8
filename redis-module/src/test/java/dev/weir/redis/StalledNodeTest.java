package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A node that stalls while it waits for an answer, and hears that before its timers go on; in virtual time. */
class StalledNodeTest {

    private static final Limit LIMIT = Limit.of(10, Duration.ofSeconds(1));
    private static final Duration DEADLINE = Duration.ofNanos(ModelFleet.SETTINGS.deadlineNanos());
    private static final Duration STALL = Duration.ofSeconds(2);

    private final VirtualTimeSource timers = new VirtualTimeSource(-1);
    private final StallingTime time = new StallingTime();
    private final ManualStore store = new ManualStore(new ModelStore(LIMIT, timers));

    /** A clock that has gone on while no timer did. */
    private final class StallingTime implements TimeSource {

        private long stalledNanos;

        void stall(Duration duration) {
            stalledNanos += duration.toNanos();
        }

        @Override
        public long nanoTime() {
            return timers.nanoTime() + stalledNanos;
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            return timers.schedule(task, delayNanos);
        }
    }

    private RateLimiter limiter(Store asked, WhenUnavailable choice) {
        return ModelFleet.builder(LIMIT, asked, choice).timeSource(time).build();
    }

    private CompletableFuture<Lease> answeredAfter(Duration stalled, CompletableFuture<Lease> asked) {
        assertThat(store.underWay()).isEqualTo(1);
        time.stall(stalled);
        store.answerAll();
        timers.advanceBy(Duration.ZERO);
        return asked;
    }

    private static DecisionSource source(CompletableFuture<Lease> asked) {
        assertThat(asked).isDone();
        return asked.join().source();
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName("an answer counts until the deadline, and no nanosecond longer, though its timer is later still")
    void untilTheDeadline(WhenUnavailable choice) {
        RateLimiter limiter = limiter(store, choice);
        assertThat(source(answeredAfter(DEADLINE, limiter.acquire(5)))).isEqualTo(DecisionSource.REMOTE);
        CompletableFuture<Lease> late = answeredAfter(DEADLINE.plusNanos(1), limiter.acquire(5));
        assertThat(source(late)).isEqualTo(DecisionSource.FALLBACK);
        assertThat(late.join().isAcquired()).isEqualTo(choice != WhenUnavailable.REFUSE);
    }

    @Test
    @DisplayName("what was granted before a stall counts as spent, and is not in hand after it")
    void granted() {
        RateLimiter limiter = limiter(store, WhenUnavailable.REFUSE);
        assertThat(limiter.tryAcquire(10).isAcquired()).isFalse();
        time.stall(STALL);
        store.answerAll();
        assertThat(limiter.tryAcquire(10).isAcquired()).isFalse();
    }

    @Test
    @DisplayName("what was booked before a stall is not waited for")
    void booked() {
        RateLimiter limiter = limiter(store, WhenUnavailable.LOCAL);
        assertThat(source(answeredAfter(Duration.ZERO, limiter.acquire(10)))).isEqualTo(DecisionSource.REMOTE);
        assertThat(source(answeredAfter(STALL, limiter.acquire()))).isEqualTo(DecisionSource.FALLBACK);
    }

    @Test
    @DisplayName("a stall while the question is being sent counts, too")
    void whileSending() {
        ModelStore model = new ModelStore(LIMIT, timers);
        RateLimiter limiter = limiter(
                (limit, question, listener) -> {
                    time.stall(STALL);
                    model.ask(limit, question, listener);
                },
                WhenUnavailable.LOCAL);
        assertThat(source(limiter.acquire())).isEqualTo(DecisionSource.FALLBACK);
    }

    @Test
    @DisplayName(
            "a question that should have ended long ago is given up by the next request, though no timer has told; its answer is ignored")
    void lost() {
        RateLimiter limiter = limiter(store, WhenUnavailable.LOCAL);
        CompletableFuture<Lease> first = limiter.acquire(1);
        time.stall(DEADLINE.plusSeconds(1));
        CompletableFuture<Lease> second = limiter.acquire(1);
        assertThat(first).isNotDone();
        time.stall(Duration.ofNanos(1));
        CompletableFuture<Lease> third = limiter.acquire(1);
        timers.advanceBy(Duration.ZERO);
        for (CompletableFuture<Lease> asked : List.of(first, second, third)) {
            assertThat(source(asked)).isEqualTo(DecisionSource.FALLBACK);
        }

        store.answerAll();
        assertThat(limiter.tryAcquire(1).source()).isEqualTo(DecisionSource.FALLBACK);
        timers.advanceBy(Duration.ofSeconds(1)); // the deadline of the first question, too
        Lease probe = limiter.tryAcquire(0);
        assertThat(store.underWay()).as("probed by %s", probe).isEqualTo(1);
        store.answerAll();
        timers.advanceBy(Duration.ZERO);
        CompletableFuture<Lease> back = limiter.acquire(1);
        store.answerAll();
        timers.advanceBy(Duration.ZERO);
        assertThat(source(back)).isEqualTo(DecisionSource.REMOTE);
    }

    @Test
    @DisplayName("the answer to the next question ends the outage that a stall began")
    void backAgain() {
        RateLimiter limiter = limiter(store, WhenUnavailable.LOCAL);
        assertThat(source(answeredAfter(STALL, limiter.acquire()))).isEqualTo(DecisionSource.FALLBACK);
        timers.advanceBy(Duration.ofMillis(100));
        Lease probe = limiter.tryAcquire(0);
        assertThat(store.underWay()).as("probed by %s", probe).isEqualTo(1);
        store.answerAll();
        timers.advanceBy(Duration.ZERO);
        assertThat(source(answeredAfter(Duration.ZERO, limiter.acquire()))).isEqualTo(DecisionSource.REMOTE);
    }
}
