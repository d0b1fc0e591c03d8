package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks, schedulers and functions of users that fail or call back, beyond what the contracts of the kit hold. */
class HostileSurroundingsTest {

    private static final long ORIGIN = Long.MAX_VALUE - 15;

    /** A time that breaks where a test says so. Belongs to one thread. */
    private static final class BreakingTime implements TimeSource {

        private final SteppedTime time = new SteppedTime(ORIGIN);
        private boolean clockBroken;
        private Runnable onNextReading = () -> {};
        private boolean cancelBroken;
        private boolean noThreads;
        private int eager;

        @Override
        public long nanoTime() {
            Runnable due = onNextReading;
            onNextReading = () -> {};
            due.run();
            check(clockBroken);
            return time.nanoTime();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            if (noThreads) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            if (eager > 0) {
                eager--;
                task.run();
                task.run();
            }
            Cancellable handle = time.schedule(task, delayNanos);
            return () -> {
                check(cancelBroken);
                handle.cancel();
            };
        }

        private static void check(boolean broken) {
            if (broken) {
                throw new IllegalStateException("on purpose");
            }
        }
    }

    private final BreakingTime time = new BreakingTime();
    private final RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofNanos(10)))
            .timeSource(time)
            .build();
    private final List<String> heard = new ArrayList<>();

    private PermitRequest ask(String name) {
        return limiter.acquire(1, lease -> heard.add(name + (lease.isAcquired() ? "" : " refused")));
    }

    @Test
    @DisplayName("a clock that throws is reported to the caller, and takes and counts nothing")
    void brokenClock() {
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
    void brokenClockAtTheTimer() {
        ask("first");
        ask("second");
        ask("third");
        time.clockBroken = true;
        assertThatThrownBy(() -> time.time.advanceBy(10)).hasMessage("on purpose");
        time.clockBroken = false;
        ask("fourth").cancel();
        assertThat(heard).containsExactly("first", "second");
        time.time.advanceBy(20);
        assertThat(heard).containsExactly("first", "second", "third");
        assertThat(time.time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a clock that throws as a lease is closed loses no permit: nothing else would bring it back")
    void brokenClockAtTheRelease() {
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
    void brokenClockAtTheReturn() {
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
    void brokenClockAsOneLeaves() {
        List<PermitRequest> leaving = new ArrayList<>();
        RateLimiter slots = RateLimiter.builder(Limit.concurrency(1))
                .policies((limit, key, now) -> whenTaken(limit.newPolicy(now), () -> {
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

    private static PermitPolicy whenTaken(PermitPolicy policy, Runnable taken) {
        return (PermitPolicy) Proxy.newProxyInstance(
                PermitPolicy.class.getClassLoader(),
                new Class<?>[] {PermitPolicy.class},
                (proxy, method, arguments) -> {
                    Object answer = method.invoke(policy, arguments);
                    if (method.getName().startsWith("tryTake") && Objects.equals(answer, PermitPolicy.TAKEN)) {
                        taken.run();
                    }
                    return answer;
                });
    }

    @Test
    @DisplayName(
            "who learns by an exception that the clock is broken has asked for nothing, also when it breaks only now")
    void brokenClockAfterTheFirstReading() {
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
    @DisplayName("a clock that throws as all keys are closed leaves none of them open")
    void brokenClockAtTheClose() {
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
        time.time.advanceBy(10);
        assertThat(heard).containsExactlyInAnyOrder("aOptional[CLOSED]", "bOptional[CLOSED]", "cOptional[CLOSED]");
    }

    @Test
    @DisplayName("a task that another executor rejects while the clock is broken is rejected all the same")
    void brokenClockAsATaskIsRejected() {
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
    @DisplayName("who asks while the drain is at work is looked after, though what the drain is at breaks")
    void brokenClockBesideARequest() {
        ask("first");
        ask("second");
        time.onNextReading = () -> {
            ask("third");
            throw new IllegalStateException("on purpose");
        };
        assertThatThrownBy(() -> time.time.advanceBy(10)).hasMessage("on purpose");
        assertThat(heard).containsExactly("first", "second");
        time.time.advanceBy(10);
        assertThat(heard).containsExactly("first", "second", "third");
    }

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
        time.time.advanceBy(9);
        assertThat(heard).containsExactly("first");
        time.time.advanceBy(1);
        assertThat(heard).containsExactly("first", "second");
        time.time.advanceBy(50);
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
        time.time.advanceBy(10);
        assertThat(heard).containsExactly("first", "third");
    }

    @Test
    @DisplayName("where the timer can have no thread, who would wait is refused with the reason, and the rest goes on")
    void noThreadForTheTimer() {
        time.noThreads = true;
        ask("first");
        ask("second");
        assertThat(heard).containsExactly("first", "second refused");
        assertThat(limiter.statistics().queuedPermits()).isZero();
        time.noThreads = false;
        ask("third");
        time.time.advanceBy(10);
        assertThat(heard).containsExactly("first", "second refused", "third");
    }

    @Test
    @DisplayName("a handler of uncaught exceptions that throws keeps no answer back, at once or from the line")
    void hostileHandler() throws InterruptedException {
        RateLimiter slots =
                RateLimiter.builder(Limit.concurrency(10)).timeSource(time).build();
        List<Throwable> escaped = new ArrayList<>();
        Thread releasing = new Thread(() -> {
            Lease all = slots.tryAcquire(10);
            for (int i = 0; i < 10; i++) {
                slots.acquire(1, lease -> {
                    heard.add("told");
                    throw new IllegalStateException("on purpose");
                });
            }
            try {
                all.close();
                limiter.acquire(1, lease -> {
                    throw new IllegalStateException("on purpose");
                });
            } catch (RuntimeException thrown) {
                escaped.add(thrown);
            }
        });
        releasing.setUncaughtExceptionHandler((thread, thrown) -> {
            throw new IllegalArgumentException("also on purpose", thrown);
        });
        releasing.start();
        releasing.join();
        assertThat(escaped).isEmpty();
        assertThat(heard).hasSize(10);
    }

    @Test
    @DisplayName("stages behind a future may cancel others, ask, give back and close, and throw besides")
    void hostileStages() {
        ask("first");
        CompletableFuture<Lease> second = limiter.acquire();
        CompletableFuture<Lease> third = limiter.acquire();
        CompletableFuture<Lease> fourth = limiter.acquire();
        CompletableFuture<Void> failed = second.thenAccept(lease -> {
            third.cancel(false);
            ask("fifth");
            lease.giveBack();
            throw new IllegalStateException("on purpose");
        });
        CompletableFuture<Void> closing = fourth.thenAccept(lease -> limiter.close());
        time.time.advanceBy(10);
        assertThat(failed).isCompletedExceptionally();
        assertThat(closing).isCompleted();
        assertThat(fourth.join().isAcquired()).isTrue();
        assertThat(heard).containsExactly("first", "fifth refused");
        assertThat(time.time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a limit function that asks for its own key and others, or closes them all, gets answers like anybody")
    void hostileLimitFunction() {
        List<PartitionedRateLimiter<String>> own = new ArrayList<>();
        List<String> making = new ArrayList<>();
        PartitionedRateLimiter<String> limiters = PartitionedRateLimiter.<String>builder(key -> {
                    making.add(key);
                    if (making.size() == 1) {
                        heard.add("inside " + own.get(0).tryAcquire("a", 1).isAcquired());
                        heard.add("inside " + own.get(0).tryAcquire("b", 1).isAcquired());
                    } else if (key.equals("c")) {
                        own.get(0).close();
                    }
                    return Limit.of(2, Duration.ofNanos(10));
                })
                .timeSource(time)
                .build();
        own.add(limiters);
        assertThat(limiters.tryAcquire("a", 1).isAcquired()).isTrue();
        assertThat(heard).containsExactly("inside true", "inside true");
        assertThat(limiters.tryAcquire("a", 1).isAcquired())
                .as("two were taken")
                .isFalse();
        assertThat(limiters.keyCount()).isEqualTo(2);
        assertThatIllegalStateException().isThrownBy(() -> limiters.tryAcquire("c", 1));
    }
}
