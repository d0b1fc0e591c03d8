package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who begins to wait on one thread while another asks the store, and has its answer before that returns. */
class AnsweredWhileSendingTest {

    private static final int ROUNDS = 10_000;

    /** The store takes up to so many spins, so that it answers at any moment of the other thread. */
    private static final int LONGEST_SPINS = 64;

    private final AtomicInteger round = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger signals = new AtomicInteger();
    private volatile long wait;

    /** Each round is a nanosecond. */
    private final TimeSource time = new TimeSource() {
        @Override
        public long nanoTime() {
            return round.get();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            signals.addAndGet(delayNanos == 0 ? 1 : 0);
            return () -> {};
        }
    };

    private final FleetPolicy policy = ModelFleet.policy(
            Limit.of(5, Duration.ofHours(1)),
            (limit, question, listener) -> {
                for (int spins = round.get() % LONGEST_SPINS; spins > 0; spins--) {
                    Thread.onSpinWait();
                }
                listener.answered(new Answer(1, question.one(), 0, 5, 0, 0, 0, List.of()));
            },
            Nodes.node(),
            time,
            ModelFleet.SETTINGS);

    private void waitInEachRound() {
        for (int i = 1; i <= ROUNDS; i++) {
            while (round.get() < i) {
                Thread.onSpinWait();
            }
            wait = policy.tryTakeFirst(Queued.of(1), 1, Long.MAX_VALUE, i);
            done.set(i);
        }
    }

    @Test
    @Tag("storm")
    @DisplayName("who is to wait for that answer is woken when it is there")
    void woken() {
        Thread waiting = new Thread(this::waitInEachRound);
        waiting.setDaemon(true);
        waiting.start();
        for (int i = 1; i <= ROUNDS; i++) {
            int before = signals.get();
            round.set(i);
            assertThat(policy.available(i)).isNotNegative();
            while (done.get() < i) {
                Thread.onSpinWait();
            }
            if (wait == PermitPolicy.AWAIT_SIGNAL) {
                assertThat(signals.get()).as("round %d", i).isGreaterThan(before);
            }
        }
    }
}
