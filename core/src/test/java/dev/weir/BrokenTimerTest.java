package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limit.Limit;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A timer that runs tasks when it pleases, cannot cancel them, or takes none. */
class BrokenTimerTest extends OnBreakingTime {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 50})
    @DisplayName(
            "a scheduler that runs a task twice before it returns, and then again, grants nothing early and nobody twice")
    void eagerScheduler(int times) {
        time.eager = times;
        ask("first");
        ask("second");
        ask("third");
        assertThat(heard).containsExactly("first");
        time.advanceBy(9);
        assertThat(heard).containsExactly("first");
        time.advanceBy(1);
        assertThat(heard).containsExactly("first", "second");
        time.advanceBy(50);
        assertThat(heard).containsExactly("first", "second", "third");
        assertThat(limiter.statistics().acquired()).isEqualTo(3);
    }

    @Test
    @DisplayName("a timer that cannot be cancelled is reported to who made it needless, and breaks nothing")
    void brokenCancel() {
        ask("first");
        PermitRequest second = ask("second");
        time.cancelBroken = true;
        assertThatIllegalStateException().isThrownBy(second::cancel).withMessage("on purpose");
        assertThat(second.isSettled()).isTrue();
        assertThat(limiter.statistics().queuedPermits()).isZero();
        time.cancelBroken = false;
        ask("third");
        time.advanceBy(10);
        assertThat(heard).containsExactly("first", "third");
    }

    @Test
    @DisplayName(
            "nobody is refused if it cannot be cancelled as the alarm is set for an earlier time, and nobody is late")
    void brokenCancelOfALaterAlarm() {
        RateLimiter room =
                RateLimiter.builder(Limit.concurrency(1)).timeSource(time).build();
        Lease held = room.tryAcquire();
        room.acquire(1, Duration.ofNanos(9), lease -> heard.add("9 " + lease.isAcquired()));
        time.cancelBroken = true;
        room.acquire(1, Duration.ofNanos(5), lease -> heard.add("5 " + lease.isAcquired()));
        time.cancelBroken = false;
        assertThat(heard).isEmpty();
        time.advanceBy(5);
        assertThat(heard).containsExactly("5 false");
        held.close();
        assertThat(heard).containsExactly("5 false", "9 true");
    }

    @Test
    @DisplayName("a request that would wait is refused if the timer can have no thread, and the rest goes on")
    void noThreadForTheTimer() {
        time.noThreads = true;
        ask("first");
        ask("second");
        assertThat(heard).containsExactly("first", "second refused");
        assertThat(limiter.statistics().queuedPermits()).isZero();
        time.noThreads = false;
        ask("third");
        time.advanceBy(10);
        assertThat(heard).containsExactly("first", "second refused", "third");
    }

    @Test
    @DisplayName("a timer that has lost a task is asked anew by who comes when that is long overdue, and not before")
    void lostTask() {
        loseTheTaskOfTheSecond();
        time.advanceBy(10 + HeadAlarm.LOST_NANOS);
        ask("third");
        assertThat(heard).containsExactly("first", "second");
        assertThat(time.pendingTasks()).isZero();
        time.advanceBy(1);
        ask("fourth");
        assertThat(heard).containsExactly("first", "second");
        assertThat(time.pendingTasks()).isEqualTo(1);
        time.advanceBy(30);
        assertThat(heard).containsExactly("first", "second", "third", "fourth");
    }

    @Test
    @DisplayName("a timer that has lost a task and takes no more: who has to wait is refused, also who waits already")
    void lostTaskAndTakesNoMore() {
        loseTheTaskOfTheSecond();
        time.noThreads = true;
        time.advanceBy(11 + HeadAlarm.LOST_NANOS);
        ask("third");
        assertThat(heard).containsExactly("first", "second", "third refused");
        assertThat(limiter.statistics().queuedPermits()).isZero();
        time.advanceBy(10);
        ask("fourth");
        assertThat(heard).containsExactly("first", "second", "third refused", "fourth");
    }

    @Test
    @DisplayName("a task that was to try again after the clock had thrown, and is lost: the next time there is another")
    void lostAfterAFailure() {
        ask("first");
        ask("second");
        time.losing = true;
        breakTheClockAtTheTimer();
        time.losing = false;
        ask("third").cancel();
        assertThat(heard).containsExactly("first", "second");
        ask("fourth");
        breakTheClockAtTheTimer();
        time.advanceBy(HeadAlarm.LOST_NANOS);
        assertThat(heard).containsExactly("first", "second", "fourth");
    }

    private void breakTheClockAtTheTimer() {
        time.clockBroken = true;
        assertThatThrownBy(() -> time.advanceBy(10)).hasMessage("on purpose");
        time.clockBroken = false;
    }

    private void loseTheTaskOfTheSecond() {
        ask("first");
        time.losing = true;
        ask("second");
        time.losing = false;
        assertThat(heard).containsExactly("first");
    }
}
