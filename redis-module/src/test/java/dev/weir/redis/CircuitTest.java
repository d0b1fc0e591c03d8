package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may ask a store that fails, in virtual time. */
class CircuitTest {

    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));
    private static final long SHORTEST = Duration.ofMillis(50).toNanos();

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final Random random = new Random(1);
    private final Circuit circuit = new Circuit(random);

    private boolean mayAsk() {
        return circuit.mayAsk(time.nanoTime());
    }

    private long pauseAfter(Exception cause) {
        return circuit.pauseAfter(cause, time.nanoTime(), time.nanoTime());
    }

    private long fail() {
        return pauseAfter(new IOException("reset"));
    }

    @Test
    @DisplayName("many calls that fail together keep nobody waiting longer than three; each probe that fails does")
    void failedTogether() {
        for (int failures = 0; failures < 20; failures++) {
            assertThat(fail()).isLessThanOrEqualTo(SHORTEST);
        }
        assertThat(mayAsk()).isFalse();
        long longest = SHORTEST;
        for (int probes = 0; probes < 10; probes++) {
            time.advanceBy(Duration.ofNanos(longest));
            assertThat(mayAsk()).as("probe %d", probes).isTrue();
            assertThat(mayAsk()).as("one at a time").isFalse();
            longest = Math.min(Circuit.LONGEST_NANOS, 2 * longest);
            assertThat(fail()).isBetween(longest / 2, longest);
        }
        assertThat(longest).isEqualTo(Circuit.LONGEST_NANOS);
    }

    @Test
    @DisplayName("a question from before the probe that fails during it does not end the probe")
    void failedLate() {
        long old = time.nanoTime();
        long unused = fail() + fail() + fail();
        time.advanceBy(Duration.ofNanos(SHORTEST));
        assertThat(mayAsk()).as("the probe").isTrue();
        time.advanceBy(Duration.ofNanos(1));
        unused = circuit.pauseAfter(new IOException("too late"), old, time.nanoTime());
        time.advanceBy(Duration.ofNanos(2 * SHORTEST));
        assertThat(mayAsk()).as("while that probe is under way").isFalse();
        assertThat(fail()).as("which has failed").isBetween(SHORTEST, 2 * SHORTEST);
    }

    @Test
    @DisplayName("who finds it open just before it closes tries again soon, whatever the origin of the clock")
    void closesMeanwhile() {
        long now = Long.MIN_VALUE / 2;
        for (int failures = 0; failures < 3; failures++) {
            long unused = circuit.pauseAfter(new IOException("reset"), now, now);
        }
        assertThat(circuit.mayAsk(now)).isFalse();
        circuit.answered(true);
        Outage found = circuit.untilPauseIsOver(now);
        assertThat(found.retryNanos() - now).isBetween(1L, SHORTEST);
        assertThat(found.cause()).hasMessage("reset");
    }

    @Test
    @DisplayName(
            "while a probe is in flight, who failed and who comes then try again after the same time, when it may have ended")
    void duringAProbe() {
        long old = time.nanoTime();
        long unused = fail() + fail() + fail();
        time.advanceBy(Duration.ofNanos(SHORTEST));
        assertThat(mayAsk()).as("the probe").isTrue();
        time.advanceBy(Duration.ofNanos(1));
        long now = time.nanoTime();
        for (int tries = 0; tries < 100; tries++) {
            assertThat(circuit.pauseAfter(new IOException("too late"), old, now))
                    .isBetween(SHORTEST, 2 * SHORTEST);
            assertThat(circuit.untilPauseIsOver(now).retryNanos() - now).isBetween(SHORTEST, 2 * SHORTEST);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
                "READONLY You can't write against a read only replica.",
                "ERR Error running script (call to f_d8d0): @user_script:40: -READONLY You can't write against a read only replica.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
                "ERR Error running script (call to f_d8d0): @user_script:40: -MISCONF Redis is configured to save RDB snapshots",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "NOREPLICAS Not enough good replicas to write."
            })
    @DisplayName("a server that says that it serves nobody has failed, however it says so")
    void servesNobody(String error) {
        for (int failures = 0; failures < 3; failures++) {
            assertThat(mayAsk()).isTrue();
            long unused = pauseAfter(new RedisCommandExecutionException(error));
        }
        assertThat(mayAsk()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "ERR Error running script (call to f_d8d0): @user_script:40: @user_script: 40: Wrong number of args",
                "BUSYGROUP Consumer Group name already exists"
            })
    @DisplayName("an error of one key or command says that the server is there")
    void ofOneKey(String error) {
        long unused = fail() + fail();
        long pause = pauseAfter(new RedisCommandExecutionException(error));
        assertThat(pause).isLessThanOrEqualTo(SHORTEST);
        unused = fail() + fail();
        assertThat(mayAsk()).as("counted from the answer on").isTrue();
    }

    @Test
    @DisplayName("a question that cannot be asked tells nothing of the store, however often")
    void whatCannotBeAsked() {
        for (int failures = 0; failures < 20; failures++) {
            assertThat(pauseAfter(new IllegalArgumentException("too long"))).isLessThanOrEqualTo(SHORTEST);
            assertThat(mayAsk()).isTrue();
        }
    }

    @Test
    @DisplayName("a question that did not leave the node was no probe: the next is, without a pause")
    void whatWasNotSent() {
        long unused = fail() + fail() + fail();
        for (Exception notSent : List.of(new TooManyCallsException(1), new IllegalArgumentException("too long"))) {
            time.advanceBy(Duration.ofNanos(Circuit.LONGEST_NANOS));
            assertThat(mayAsk()).as("the probe").isTrue();
            assertThat(pauseAfter(notSent)).isLessThanOrEqualTo(SHORTEST);
            assertThat(mayAsk()).as("the next, after %s", notSent).isTrue();
            assertThat(mayAsk()).as("one at a time").isFalse();
            unused = fail();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"READONLY You can't write against a read only replica.", "OOM command not allowed"})
    @DisplayName("while a server writes nothing, an answer for which it need not write does not end the pauses")
    void answersWhatItOnlyReads(String error) {
        RedisCommandExecutionException refused = new RedisCommandExecutionException(error);
        long longest = pauseAfter(refused) + pauseAfter(refused) + pauseAfter(refused);
        for (int probes = 0; probes < 5; probes++) {
            assertThat(mayAsk()).isFalse();
            circuit.answered(false);
            assertThat(mayAsk()).as("after an answer").isFalse();
            time.advanceBy(Duration.ofNanos(longest));
            assertThat(mayAsk()).as("the probe").isTrue();
            circuit.answered(false);
            assertThat(mayAsk()).as("the next, as that told nothing").isTrue();
            longest = pauseAfter(refused);
        }
        assertThat(longest).isGreaterThan(Circuit.LONGEST_NANOS / 4);
        circuit.answered(true);
        assertThat(mayAsk()).as("once it has written").isTrue();
        assertThat(pauseAfter(refused)).isLessThanOrEqualTo(SHORTEST);
    }

    @Test
    @DisplayName("a server that was not reached is there again when it answers anything")
    void answersAtAll() {
        long unused = fail() + fail() + fail();
        assertThat(mayAsk()).isFalse();
        circuit.answered(false);
        assertThat(mayAsk()).isTrue();
    }

    @Test
    @DisplayName("limiters of one node on clocks that have nothing in common keep one another from nothing")
    void clocksApart() {
        Node node = Nodes.node();
        VirtualTimeSource farAhead = new VirtualTimeSource(Long.MAX_VALUE / 4);
        AtomicBoolean isAway = new AtomicBoolean(true);
        RateLimiter failing = limiter(node, farAhead, isAway);
        for (int failures = 0; failures < 3; failures++) {
            assertThat(failing.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
            farAhead.advanceBy(Duration.ofSeconds(2));
        }
        isAway.set(false);
        RateLimiter other = limiter(node, new VirtualTimeSource(0), isAway);
        assertThat(other.tryAcquire().source()).isEqualTo(DecisionSource.REMOTE);
        farAhead.advanceBy(Duration.ofSeconds(2));
        assertThat(failing.tryAcquire().source()).isEqualTo(DecisionSource.REMOTE);
    }

    @Test
    @DisplayName(
            "a server that is gone keeps nobody from asking another, and is asked by one limiter at a time, however many there are")
    void serversApart() {
        Node node = Nodes.node(random);
        List<Asked> gone =
                IntStream.range(0, 1_000).mapToObj(i -> new Asked("gone", true)).toList();
        List<RateLimiter> ofGone =
                gone.stream().map(store -> limiter(node, time, store)).toList();
        List<RateLimiter> ofOther = IntStream.range(0, 1_000)
                .mapToObj(i -> limiter(node, time, new Asked("other", false)))
                .toList();
        for (int i = 0; i < 1_000; i++) {
            assertThat(ofGone.get(i).tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
            assertThat(ofOther.get(i).tryAcquire().source()).isEqualTo(DecisionSource.REMOTE);
        }
        assertThat(asked(gone)).isEqualTo(3);
        time.advanceBy(Duration.ofSeconds(10));
        assertThat(asked(gone)).as("at growing intervals").isBetween(10, 40);
    }

    @Test
    @DisplayName("when a key is kept by another server, as a replica has taken over, that one is asked at once")
    void keptByAnother() {
        Node node = Nodes.node(random);
        Asked store = new Asked("gone", true);
        RateLimiter limiter = limiter(node, time, store);
        for (int failures = 0; failures < 3; failures++) {
            RateLimiter other = limiter(node, time, new Asked("gone", true));
            assertThat(other.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        }
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        assertThat(store.asked).isZero();
        store.server = "replica";
        store.isAway = false;
        time.advanceBy(Duration.ofNanos(SHORTEST));
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.REMOTE);
    }

    private static int asked(List<Asked> stores) {
        return stores.stream().mapToInt(store -> store.asked).sum();
    }

    private static RateLimiter limiter(Node node, VirtualTimeSource time, Asked store) {
        store.behind = new ModelStore(LIMIT, time);
        return ModelFleet.builder(LIMIT, store, node, ModelFleet.SETTINGS)
                .timeSource(time)
                .build();
    }

    /** A server of several, which may be away. */
    private static final class Asked implements Store {

        private String server;
        private boolean isAway;
        private int asked;
        private @Nullable Store behind;

        Asked(String server, boolean isAway) {
            this.server = server;
            this.isAway = isAway;
        }

        @Override
        public String server() {
            return server;
        }

        @Override
        public void ask(Limit limit, Question question, Listener listener) {
            asked++;
            if (isAway) {
                listener.failed(new IOException("refused"));
            } else {
                Objects.requireNonNull(behind).ask(limit, question, listener);
            }
        }
    }

    private static RateLimiter limiter(Node node, VirtualTimeSource time, AtomicBoolean isAway) {
        ModelStore behind = new ModelStore(LIMIT, time);
        Store store = (kept, question, listener) -> {
            if (isAway.get()) {
                listener.failed(new IOException("reset"));
            } else {
                behind.ask(kept, question, listener);
            }
        };
        return ModelFleet.builder(LIMIT, store, node, ModelFleet.SETTINGS)
                .timeSource(time)
                .build();
    }
}
