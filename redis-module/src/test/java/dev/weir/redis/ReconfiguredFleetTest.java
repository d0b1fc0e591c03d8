package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** That the store hears of another limit before what it keeps is over by the one before, in virtual time. */
class ReconfiguredFleetTest {

    private static final Limit SHORT = Limit.of(10, Duration.ofSeconds(1));
    private static final Limit LONG = Limit.of(10, Duration.ofHours(1));
    private static final Limit LONGEST = Limit.of(10, Duration.ofDays(1));
    private static final Duration A_WHILE = Duration.ofSeconds(2);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final Store model = new ModelStore(SHORT, time);
    private final List<Question> asked = new ArrayList<>();
    private Exception failure;
    private final RateLimiter limiter = ModelFleet.builder(SHORT, this::ask, WhenUnavailable.LOCAL)
            .timeSource(time)
            .build();

    private void ask(Limit limit, Question question, Store.Listener listener) {
        asked.add(question);
        if (failure != null) {
            listener.failed(failure);
        } else {
            model.ask(limit, question, listener);
        }
    }

    private static List<Exception> failures() {
        return List.of(
                new TimeoutException("lost"),
                new TooManyCallsException(1),
                new RedisCommandExecutionException("READONLY You can't write against a read only replica."));
    }

    @Test
    @DisplayName("the question that follows has it written, at once; none does after the answer, or before")
    void atOnce() {
        assertThat(limiter.acquire(10)).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(limiter.availablePermits()).isZero();
        assertThat(asked).isNotEmpty().noneMatch(Question::writes);
        asked.clear();
        limiter.reconfigure(LONG);
        assertThat(asked).extracting(Question::writes).containsExactly(true);
        asked.clear();
        time.advanceBy(A_WHILE);
        assertThat(limiter.availablePermits()).isZero();
        assertThat(asked).isNotEmpty().noneMatch(Question::writes);
    }

    @ParameterizedTest
    @MethodSource("failures")
    @DisplayName("if that question is lost or refused, the store hears of it when it is back, though nobody asks")
    void lost(Exception why) {
        failure = why;
        limiter.reconfigure(LONG);
        assertThat(asked).extracting(Question::writes).containsExactly(true);
        time.advanceBy(A_WHILE);
        failure = null;
        asked.clear();
        time.advanceBy(A_WHILE);
        assertThat(asked).isNotEmpty().allMatch(Question::writes);
        asked.clear();
        time.advanceBy(A_WHILE.multipliedBy(5));
        assertThat(asked).isEmpty();
        assertThat(limiter.acquire(10)).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(asked).isNotEmpty().noneMatch(Question::writes);
    }

    @Test
    @DisplayName("an answer to what was asked under the limit before says nothing of it")
    void answeredLate() {
        ManualStore held = new ManualStore(model);
        RateLimiter late = ModelFleet.builder(SHORT, held, WhenUnavailable.LOCAL)
                .timeSource(time)
                .build();
        CompletableFuture<Lease> waiting = late.acquire();
        late.reconfigure(LONG);
        held.answer();
        assertThat(held.latest().writes()).isTrue();
        held.answer();
        time.advanceBy(Duration.ZERO);
        held.answerAll();
        time.advanceBy(Duration.ZERO);
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(held.asked).extracting(Question::writes).containsExactly(false, true, false);
    }

    @Test
    @DisplayName(
            "an answer by which one change was written says nothing of the next: that is written, too, though nobody asks")
    void changedAgain() {
        ManualStore held = new ManualStore(model);
        RateLimiter changing = ModelFleet.builder(SHORT, held, WhenUnavailable.LOCAL)
                .timeSource(time)
                .build();
        changing.reconfigure(LONG);
        assertThat(held.asked).extracting(Question::writes).containsExactly(true);
        changing.reconfigure(LONGEST);
        held.answer();
        assertThat(held.asked).extracting(Question::writes).containsExactly(true, true);
        held.answer();
        assertThat(held.underWay()).isZero();
        time.advanceBy(A_WHILE);
        assertThat(changing.availablePermits()).isEqualTo(10);
        assertThat(held.asked).extracting(Question::writes).containsExactly(true, true, false);
    }
}
