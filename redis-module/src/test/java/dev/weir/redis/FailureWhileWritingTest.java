package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client that tells failures while it writes, perhaps under a lock of its own: of what it is given just then, or of what it has been
 * given before. Whatever that leads to, nothing else is written on its thread before it returns.
 */
class FailureWhileWritingTest {

    private static final int LIMITS = 40;
    /** No permit was asked for, and none is granted; one is there. */
    private static final String NONE_ASKED = "1790000000000000 0 0 1 -1 -1 -1";

    private static final Failing GONE = Failing.telling(new IllegalStateException("disconnected"));

    private final VirtualTimeSource virtual = new VirtualTimeSource(-1);
    private final Client client = new Client();
    private final RedisRateLimiters node = Nodes.on(client, RedisOptions.defaults(), Nodes.node(new Random(1)));

    /** By how much the timer is late. */
    private Duration late = Duration.ZERO;

    private final TimeSource time = new TimeSource() {

        @Override
        public long nanoTime() {
            return virtual.nanoTime() + late.toNanos();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            return virtual.schedule(task, delayNanos);
        }
    };

    /** How a client fails when it is given a call. */
    private record Failing(String name, Consumer<Commands.Listener> told) {

        static Failing telling(Throwable cause) {
            return new Failing(cause.toString(), call -> call.failed(cause));
        }

        static Failing throwing(RuntimeException cause) {
            return new Failing("throws " + cause, call -> {
                throw cause;
            });
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final class Client implements Commands {

        final Queue<Listener> unanswered = new ArrayDeque<>();
        private Failing failing;
        private boolean isInside;
        private int calls;
        private int inside;

        @Override
        public void run(Script script, String[] keys, String[] arguments, Listener listener) {
            calls++;
            inside += isInside ? 1 : 0;
            isInside = true;
            try {
                if (failing == null) {
                    unanswered.add(listener);
                    return;
                }
                while (!unanswered.isEmpty()) {
                    unanswered.remove().failed(new IllegalStateException("disconnected"));
                }
                failing.told.accept(listener);
            } finally {
                isInside = false;
            }
        }
    }

    private static List<Failing> failing() {
        return List.of(
                GONE,
                Failing.telling(new RedisException("Commands are rejected")),
                Failing.telling(new IllegalArgumentException("too long")),
                Failing.telling(new TooManyCallsException(1)),
                Failing.telling(new TimeoutException("in the client")),
                Failing.throwing(new IllegalStateException("disconnected")),
                Failing.throwing(new RedisException("Commands are rejected")),
                Failing.throwing(new IllegalArgumentException("too long")));
    }

    private void passes(int millis) {
        virtual.advanceBy(Duration.ofMillis(millis));
    }

    private RateLimiter limiter(int number, Limit limit) {
        return node.builder("limit " + number, limit).timeSource(time).build();
    }

    /** Limits that have something to report, or to give back, or for which requests wait, while the client fails. */
    private void alone() {
        client.failing = GONE;
        for (int number = 0; number < LIMITS; number++) {
            RateLimiter limiter =
                    limiter(number, number % 2 == 0 ? Limit.of(1, Duration.ofHours(1)) : Limit.concurrency(1));
            Lease lease = limiter.tryAcquire();
            assertThat(lease.isAcquired()).isTrue();
            assertThat(lease.source()).isEqualTo(DecisionSource.FALLBACK);
            if (number % 4 == 1) {
                lease.close();
            } else if (number % 4 == 2) {
                CompletableFuture<Lease> unused = limiter.acquire();
            }
        }
    }

    private void ask(int number) {
        Lease lease = limiter(number, Limit.of(1, Duration.ofHours(1))).tryAcquire();
        assertThat(lease.source()).isEqualTo(DecisionSource.FALLBACK);
    }

    private void isBack() {
        client.failing = null;
        for (int millis = 0; millis < 3_000; millis++) {
            passes(1);
            while (!client.unanswered.isEmpty()) {
                client.unanswered.remove().replied(NONE_ASKED);
            }
        }
    }

    /** Has a request ask, and so learn of that failure, and those whose turn that was report later. */
    private void asksWhile(Failing how) {
        client.failing = how;
        int before = client.calls;
        ask(LIMITS);
        assertThat(client.calls).as("asks").isGreaterThan(before);
        passes(1_000);
        isBack();
        assertThat(client.inside).as("calls inside another").isZero();
    }

    @ParameterizedTest
    @MethodSource("failing")
    @DisplayName("when calls fail that it has been given before, of limits that have their turn to report")
    void inTheirTurn(Failing how) {
        alone();
        passes(1_100);
        client.failing = null;
        while (client.unanswered.isEmpty()) {
            passes(1);
        }
        client.unanswered.remove().replied(NONE_ASKED);
        passes(1);
        assertThat(client.unanswered).as("have their turn").hasSizeGreaterThan(3);
        asksWhile(how);
    }

    @ParameterizedTest
    @MethodSource("failing")
    @DisplayName("when a request asks while others are to report, and the alarm of those is late")
    void aRequest(Failing how) {
        alone();
        passes(1_100);
        late = Duration.ofSeconds(2);
        asksWhile(how);
    }

    @ParameterizedTest
    @MethodSource("failing")
    @DisplayName("when all is closed, and gives back what it holds")
    void closing(Failing how) {
        alone();
        passes(1_100);
        client.failing = null;
        passes(60);
        client.failing = how;
        int before = client.calls;
        node.close();
        passes(1_000);
        assertThat(client.calls).as("gives back").isGreaterThan(before);
        assertThat(client.inside).as("calls inside another").isZero();
    }
}
