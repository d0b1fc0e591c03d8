package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A clock that throws, at every moment at which a limiter reads it: who asks hears of it, and nothing is lost. */
class BrokenClockTest extends OnBreakingTime {

    @Test
    @DisplayName("a clock that throws is reported to the caller, and takes and counts nothing")
    void asked() {
        time.clockBroken = true;
        assertThatIllegalStateException().isThrownBy(limiter::tryAcquire).withMessage("on purpose");
        assertThatIllegalStateException().isThrownBy(() -> ask("lost")).withMessage("on purpose");
        assertThatIllegalStateException().isThrownBy(() -> limiter.acquire(1)).withMessage("on purpose");
        time.clockBroken = false;
        assertThat(limiter.statistics()).isEqualTo(new RateLimiterStatistics(1, 0, 0, 0));
        ask("first");
        assertThat(heard).containsExactly("first");
    }

    @Test
    @DisplayName("a clock that throws when the timer fires keeps nobody back for good: the next signal serves them")
    void atTheTimer() {
        ask("first");
        ask("second");
        ask("third");
        time.clockBroken = true;
        assertThatThrownBy(() -> time.advanceBy(10)).hasMessage("on purpose");
        time.clockBroken = false;
        ask("fourth").cancel();
        assertThat(heard).containsExactly("first", "second");
        time.advanceBy(20);
        assertThat(heard).containsExactly("first", "second", "third");
        time.advanceBy(HeadAlarm.LOST_NANOS);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName(
            "a clock that throws again and again while nobody signals: who waits is served soon after it is mended")
    void untilItIsMended() {
        ask("first");
        ask("second");
        time.clockBroken = true;
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> time.advanceBy(HeadAlarm.LOST_NANOS)).hasMessage("on purpose");
            assertThat(time.pendingTasks()).isEqualTo(1);
        }
        time.clockBroken = false;
        time.advanceBy(HeadAlarm.LOST_NANOS);
        assertThat(heard).containsExactly("first", "second");
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("and if nobody waits by then, the clock is left alone")
    void whenAllHaveLeft() {
        limiter.tryAcquire();
        PermitRequest only = ask("only");
        time.clockBroken = true;
        assertThatThrownBy(() -> time.advanceBy(10)).hasMessage("on purpose");
        assertThatThrownBy(only::cancel).hasMessage("on purpose");
        time.advanceBy(HeadAlarm.LOST_NANOS);
        assertThat(time.pendingTasks()).isZero();
        assertThat(heard).isEmpty();
    }

    @Test
    @DisplayName("a clock that throws as a lease is closed loses no permit: nothing else would bring it back")
    void atTheRelease() {
        RateLimiter slots =
                RateLimiter.builder(Limit.concurrency(1)).timeSource(time).build();
        Lease out = slots.tryAcquire();
        time.clockBroken = true;
        assertThatIllegalStateException().isThrownBy(out::close).withMessage("on purpose");
        time.clockBroken = false;
        assertThat(slots.availablePermits()).isEqualTo(1);
        assertThat(slots.idleDuration()).isPresent();
    }

    @Test
    @DisplayName("a clock that throws as a lease is settled or given back loses no permit that time does not return")
    void atTheReturn() {
        for (Limit limit : List.of(Limit.concurrency(3), Limit.allOf(Limit.unlimited(), Limit.concurrency(3)))) {
            RateLimiter slots = RateLimiter.builder(limit).timeSource(time).build();
            Lease settled = slots.tryAcquire(2);
            Lease undone = slots.tryAcquire(1);
            time.clockBroken = true;
            assertThatIllegalStateException().isThrownBy(() -> settled.settle(1));
            assertThatIllegalStateException().isThrownBy(undone::giveBack).withMessage("on purpose");
            time.clockBroken = false;
            settled.close();
            assertThat(slots.statistics()).as(limit.toString()).isEqualTo(new RateLimiterStatistics(3, 0, 1, 0));
        }
    }

    @Test
    @DisplayName("a clock that throws as permits come for one who has just left loses none of them")
    void asOneLeaves() {
        List<PermitRequest> leaving = new ArrayList<>();
        RateLimiter slots = RateLimiter.builder(Limit.concurrency(1))
                .policies((limit, key, now) -> InterleavingPolicies.whenTaken(limit.newPolicy(now), () -> {
                    leaving.forEach(PermitRequest::cancel);
                    time.clockBroken = !leaving.isEmpty();
                }))
                .timeSource(time)
                .build();
        Lease out = slots.tryAcquire();
        leaving.add(slots.acquire(1, lease -> heard.add("told")));
        assertThatIllegalStateException().isThrownBy(out::close).withMessage("on purpose");
        time.clockBroken = false;
        assertThat(slots.availablePermits()).isEqualTo(1);
        assertThat(heard).isEmpty();
    }

    @Test
    @DisplayName("a request that a broken clock answers with an exception takes no permit and no place")
    void afterTheFirstReading() {
        RateLimiter slots = RateLimiter.builder(Limit.concurrency(1))
                .queueOrder(QueueOrder.NEWEST_FIRST)
                .timeSource(time)
                .build();
        for (RateLimiter each : List.of(slots, RateLimiter.chain(slots))) {
            Lease out = slots.tryAcquire();
            time.onNextReading = () -> time.onNextReading = () -> {
                throw new IllegalStateException("on purpose");
            };
            assertThatIllegalStateException().isThrownBy(() -> each.acquire(1)).withMessage("on purpose");
            assertThat(each.statistics().queuedPermits()).isZero();
            out.close();
            assertThat(slots.availablePermits()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("a request at a full limiter is refused or throws, at whatever reading its clock breaks")
    void atAnyReading() {
        for (int readings = 0; readings < 5; readings++) {
            RateLimiter full = RateLimiter.builder(Limit.of(1, Duration.ofNanos(10)))
                    .policies((limit, key, now) -> limit.newPolicy(now))
                    .queueLimit(1)
                    .timeSource(time)
                    .build();
            full.tryAcquire();
            PermitRequest ahead = full.acquire(1, lease -> {});
            heard.clear();
            breakAfter(readings);
            Throwable thrown = catchThrowable(() -> full.acquire(1, lease -> heard.add("told")));
            time.onNextReading = () -> {};
            assertThat(heard.size() + (thrown == null ? 0 : 1))
                    .as("told, or thrown at, after %d readings", readings)
                    .isEqualTo(1);
            ahead.cancel();
        }
    }

    @Test
    @DisplayName("a clock that throws when the alarm has just been set refuses nobody")
    void onceTheAlarmIsSet() {
        RateLimiter full = RateLimiter.builder(Limit.of(1, Duration.ofNanos(10)))
                .timeSource(time)
                .build();
        full.tryAcquire();
        breakAfter(1);
        full.acquire(1, lease -> heard.add("told" + lease.isAcquired()));
        time.onNextReading = () -> {};
        assertThat(heard).isEmpty();
        time.advanceBy(10);
        assertThat(heard).containsExactly("toldtrue");
    }

    private void breakAfter(int readings) {
        time.onNextReading = () -> {
            if (readings == 0) {
                throw new IllegalStateException("on purpose");
            }
            breakAfter(readings - 1);
        };
    }

    @Test
    @DisplayName("a clock that throws as all keys are closed leaves none of them open")
    void atTheClose() {
        PartitionedRateLimiter<String> keys = PartitionedRateLimiter.<String>builder(
                        key -> Limit.of(1, Duration.ofNanos(10)))
                .timeSource(time)
                .build();
        for (String key : List.of("a", "b", "c")) {
            assertThat(keys.tryAcquire(key, 1).isAcquired()).isTrue();
            keys.forKey(key).acquire(1, lease -> heard.add(key + lease.reason()));
        }
        time.onNextReading = () -> {
            throw new IllegalStateException("on purpose");
        };
        assertThatIllegalStateException().isThrownBy(keys::close).withMessage("on purpose");
        time.advanceBy(10);
        assertThat(heard).containsExactlyInAnyOrder("aOptional[CLOSED]", "bOptional[CLOSED]", "cOptional[CLOSED]");
    }

    @Test
    @DisplayName("a task that another executor rejects while the clock is broken is rejected all the same")
    void asATaskIsRejected() {
        Executor rejecting = limiter.executor(task -> {
            time.clockBroken = true;
            throw new RejectedExecutionException("no room");
        });
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> rejecting.execute(() -> heard.add("never")))
                .withMessage("no room");
        assertThat(heard).isEmpty();
    }

    @Test
    @DisplayName("a request made while the drain works is served, though the drain then breaks")
    void besideARequest() {
        ask("first");
        ask("second");
        time.onNextReading = () -> {
            ask("third");
            throw new IllegalStateException("on purpose");
        };
        assertThatThrownBy(() -> time.advanceBy(10)).hasMessage("on purpose");
        assertThat(heard).containsExactly("first", "second");
        time.advanceBy(10);
        assertThat(heard).containsExactly("first", "second", "third");
    }
}
