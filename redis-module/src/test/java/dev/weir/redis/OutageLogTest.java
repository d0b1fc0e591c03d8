package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said in the log while the store does not decide, and when. */
class OutageLogTest {

    private static final Duration QUIET = Duration.ofNanos(OutageLog.QUIET_NANOS);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final List<String> written = new ArrayList<>();
    private final List<Throwable> heard = new ArrayList<>();
    private final Node node = new Node(heard::add);
    private Throwable failure = new IOException("reset");

    private RateLimiter limiter() {
        Store failing = (limit, question, listener) -> listener.failed(failure);
        return ModelFleet.builder(
                        Limit.of(10, Duration.ofHours(1)), failing, node, ModelFleet.settings(WhenUnavailable.LOCAL, 1))
                .timeSource(time)
                .build();
    }

    private void askOnce() {
        limiter().tryAcquire();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "says what becomes of requests and why, on a thread of the time source, once a minute while failures last")
    void onceAMinute(WhenUnavailable choice) {
        OutageLog log = new OutageLog(choice, time, (message, cause) -> written.add(message + cause.getMessage()));
        for (int minute = 0; minute < 3; minute++) {
            for (int failures = 0; failures < 10; failures++) {
                log.decidesAlone(new IOException(" no " + minute));
            }
            assertThat(written).as("before the task runs").hasSize(minute);
            time.advanceBy(Duration.ZERO);
            assertThat(written).hasSize(minute + 1);
            assertThat(written.get(minute)).contains("(" + choice + ")").endsWith(" no " + minute);
            time.advanceBy(QUIET.minusNanos(1));
            log.decidesAlone(new IOException("too soon"));
            time.advanceBy(Duration.ofNanos(1));
            assertThat(written).hasSize(minute + 1);
        }
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a few late answers are nothing to tell; a server that does not answer at all is")
    void severalInARow() {
        askOnce();
        askOnce();
        assertThat(heard).isEmpty();
        askOnce();
        assertThat(heard).containsExactly(failure);
    }

    @Test
    @DisplayName(
            "a question that is not answered at all is told once it can no longer be just late, though it is the only one")
    void noAnswerAtAll() {
        RateLimiter hanging = ModelFleet.builder(
                        Limit.of(10, Duration.ofHours(1)),
                        (limit, question, listener) -> {},
                        node,
                        ModelFleet.settings(WhenUnavailable.LOCAL, 1))
                .timeSource(time)
                .build();
        hanging.tryAcquire();
        time.advanceBy(Duration.ofSeconds(1));
        hanging.tryAcquire();
        assertThat(heard).isEmpty();
        time.advanceBy(Duration.ofSeconds(1));
        hanging.tryAcquire();
        assertThat(heard).isNotEmpty().allMatch(TimeoutException.class::isInstance);
    }

    @Test
    @DisplayName("that no thread can be had for the line harms nobody, and the next failure is told instead")
    void withoutThread() {
        boolean[] isRejected = {true};
        TimeSource rejecting = new TimeSource() {
            @Override
            public long nanoTime() {
                return time.nanoTime();
            }

            @Override
            public Cancellable schedule(Runnable task, long delayNanos) {
                if (isRejected[0]) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                return time.schedule(task, delayNanos);
            }
        };
        OutageLog log = new OutageLog(
                WhenUnavailable.LOCAL, rejecting, (message, cause) -> written.add(message + cause.getMessage()));
        log.decidesAlone(failure);
        isRejected[0] = false;
        log.decidesAlone(failure);
        time.advanceBy(Duration.ZERO);
        assertThat(written).hasSize(1);
    }

    @Test
    @DisplayName("an answer that is an error is told at once, as the next will be the same")
    void answeredWithAnError() {
        failure = new RedisCommandExecutionException("NOPERM this user has no permissions to access one of the keys");
        askOnce();
        assertThat(heard).containsExactly(failure);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("too many calls of this node itself are no fault of the server, be that there or not")
    void tooManyCalls(boolean isThere) {
        if (!isThere) {
            severalInARow();
            heard.clear();
            time.advanceBy(Duration.ofMillis(60)); // the next one probes
        }
        failure = new TooManyCallsException(1);
        for (int calls = 0; calls < 10; calls++) {
            askOnce();
        }
        assertThat(heard).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("what fails as the node leaves is not told, nor what does as its limiters are closed before that")
    void leaving(boolean hasLeft) {
        node.hurry();
        if (hasLeft) {
            node.leave();
        }
        for (int calls = 0; calls < 10; calls++) {
            askOnce();
        }
        assertThat(heard).isEmpty();
    }
}
