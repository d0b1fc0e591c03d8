package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When the drain is woken by a timer that is late, on a clock that goes by itself. */
class HeadAlarmTest {

    private static final long WAIT = 1_000_000;
    private static final long PER_READING = 25;

    /** Of one timer, as there is never more than one alarm. */
    private static final class LateTime implements TimeSource {

        private final LongSupplier lateNanos;
        private long now;
        private @Nullable Runnable task;
        private long due;
        private int scheduled;
        private boolean isBroken;

        LateTime(long origin, LongSupplier lateNanos) {
            this.now = origin;
            this.lateNanos = lateNanos;
        }

        @Override
        public long nanoTime() {
            if (isBroken) {
                throw new IllegalStateException("on purpose");
            }
            now += PER_READING;
            return now;
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            assertThat(this.task).as("one alarm at a time").isNull();
            this.task = task;
            due = now + delayNanos + lateNanos.getAsLong();
            scheduled++;
            return () -> this.task = null;
        }

        boolean runNext() {
            Runnable next = task;
            if (next == null) {
                return false;
            }
            task = null;
            now = due - now > 0 ? due : now;
            next.run();
            return true;
        }
    }

    /** A drain that lets somebody go, each so long after the one before really went. */
    private static final class Pace implements HeadAlarm.Sleeper {

        private final LateTime time;
        private final HeadAlarm alarm;
        private final long[] late;
        private int gone;
        private long due;

        Pace(LateTime time, int processors, int rounds) {
            this.time = time;
            this.alarm = new HeadAlarm(time, this, new ClockWatch(time, processors));
            this.late = new long[rounds];
            this.due = time.nanoTime() + WAIT;
        }

        void go() {
            wake();
            while (time.runNext()) {}
        }

        @Override
        public void wakeAround(Runnable untilTime) {
            wake();
            untilTime.run();
            wake();
        }

        @Override
        public void wake() {
            long now = time.nanoTime();
            if (now - due >= 0) {
                if (gone < late.length) {
                    late[gone] = now - due;
                }
                gone++;
                due = now + WAIT;
            }
            if (gone < late.length) {
                alarm.setFor(due - now, now);
            } else {
                alarm.clear();
            }
        }

        double share(int from, long atMost) {
            int count = 0;
            for (int i = from; i < late.length; i++) {
                count += late[i] <= atMost ? 1 : 0;
            }
            return (double) count / (late.length - from);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "-9223372036854775808, 2", "9223372036854000000, 3"})
    @DisplayName("three of four who wait go when it is time, by a timer that is late by 60 to 160 us")
    void inTime(long origin, long seed) {
        Random random = new Random(seed);
        LateTime time = new LateTime(origin, () -> 60_000 + random.nextLong(100_000));
        Pace pace = new Pace(time, 2, 2_000);
        pace.go();
        assertThat(pace.gone).as("seed " + seed).isEqualTo(2_000);
        assertThat(pace.share(100, 5 * PER_READING)).as("seed " + seed).isGreaterThan(0.7);
        assertThat(pace.share(100, 60_000)).as("seed " + seed).isGreaterThan(0.98);
        assertThat(time.scheduled).as("seed " + seed).isLessThan(2_200);
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 6, 7})
    @DisplayName("a timer whose clock must not be watched wakes few requests too early, and each once more")
    void withoutWatching(long seed) {
        Random random = new Random(seed);
        LateTime time = new LateTime(0, () -> 60_000 + random.nextLong(100_000));
        Pace pace = new Pace(time, 1, 2_000);
        pace.go();
        assertThat(pace.gone).as("seed " + seed).isEqualTo(2_000);
        assertThat(time.scheduled).as("seed " + seed).isBetween(2_000 + 2_000 / 15, 2_000 + 2_000 / 8);
        assertThat(pace.share(100, 100_000)).as("seed " + seed).isGreaterThan(0.8);
    }

    @Test
    @DisplayName("a timer that is never late is asked once for each, for what is needed")
    void neverLate() {
        LateTime time = new LateTime(0, () -> 0);
        Pace pace = new Pace(time, 2, 100);
        pace.go();
        assertThat(pace.share(0, 3 * PER_READING)).isEqualTo(1);
        assertThat(time.scheduled).isEqualTo(100);
    }

    @Test
    @DisplayName("an alarm has fired also if the clock breaks while it is watched: the next is set anew")
    void brokenClock() {
        LateTime time = new LateTime(0, () -> -2 * PER_READING);
        List<Throwable> thrown = new ArrayList<>();
        HeadAlarm alarm = new HeadAlarm(
                time,
                new HeadAlarm.Sleeper() {
                    @Override
                    public void wake() {
                        throw new AssertionError("not early");
                    }

                    @Override
                    public void wakeAround(Runnable untilTime) {
                        time.isBroken = true;
                        thrown.add(catchThrowable(untilTime::run));
                        time.isBroken = false;
                    }
                },
                new ClockWatch(time, 2));
        alarm.setFor(WAIT, time.nanoTime());
        time.runNext();
        assertThat(thrown).hasSize(1).first().isInstanceOf(IllegalStateException.class);
        alarm.setFor(WAIT, time.nanoTime());
        assertThat(time.scheduled).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE - WAIT - HeadAlarm.LOST_NANOS})
    @DisplayName(
            "an alarm that is late is left alone; one that is long overdue is cancelled, and set anew for what is needed")
    void overdue(long origin) {
        SteppedTime time = new SteppedTime(origin);
        List<Long> woken = new ArrayList<>();
        HeadAlarm alarm = new HeadAlarm(
                time,
                new HeadAlarm.Sleeper() {
                    @Override
                    public void wake() {
                        woken.add(time.nanoTime() - origin);
                    }

                    @Override
                    public void wakeAround(Runnable untilTime) {
                        throw new AssertionError("not early");
                    }
                },
                ClockWatch.SHARED);
        alarm.setFor(WAIT, origin);
        long late = origin + WAIT + HeadAlarm.LOST_NANOS;
        alarm.setFor(WAIT, late);
        assertThat(time.pendingTasks()).isEqualTo(1);
        time.advanceBy(WAIT);
        assertThat(woken).as("at the first time").containsExactly(WAIT);

        alarm.setFor(WAIT, origin + WAIT);
        alarm.setFor(2 * WAIT, late + WAIT + 1);
        assertThat(time.pendingTasks()).as("never two").isEqualTo(1);
        time.advanceBy(WAIT);
        assertThat(woken).as("cancelled").containsExactly(WAIT);
        time.advanceBy(WAIT);
        assertThat(woken).as("set anew").containsExactly(WAIT, 3 * WAIT);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE, Long.MAX_VALUE})
    @DisplayName(
            "who waits goes in time, too, if the clock goes on between the look at it and the setting of the alarm")
    void heldUpBeforeItIsSet(long origin) {
        for (long heldUp :
                new long[] {HeadAlarm.HELD_UP_NANOS + 1, 10 * WAIT - 1, 10 * WAIT, 10 * WAIT + 1, 30 * WAIT}) {
            for (int times = 1; times <= 3; times++) {
                HeldUpTime time = new HeldUpTime(new SteppedTime(origin));
                RateLimiter limiter = RateLimiter.builder(Limit.tokenBucket(10, 1, Duration.ofNanos(WAIT)))
                        .timeSource(time)
                        .build();
                limiter.tryAcquire(10);
                List<Long> gone = new ArrayList<>();
                time.holdUp(heldUp, times);
                limiter.acquire(10, lease -> gone.add(time.nanoTime() - origin));
                long first = Math.max(10 * WAIT, time.nanoTime() - origin);
                limiter.acquire(1, lease -> gone.add(time.nanoTime() - origin));
                long second = Math.max(first + WAIT, time.nanoTime() - origin);
                for (long due : new long[] {first, second}) {
                    long left = due - (time.nanoTime() - origin);
                    if (left > 0) {
                        time.clock.advanceBy(left);
                    }
                }
                assertThat(gone).as("held up %d times for %d", times, heldUp).containsExactly(first, second);
                assertThat(time.clock.pendingTasks()).isZero();
            }
        }
    }

    @Test
    @DisplayName("nor do those behind wait for an alarm that was held up too long for the first")
    void behindOneHeldUp() {
        HeldUpTime time = new HeldUpTime(new SteppedTime(0));
        RateLimiter limiter = RateLimiter.builder(Limit.tokenBucket(10, 1, Duration.ofNanos(WAIT)))
                .timeSource(time)
                .build();
        limiter.tryAcquire(10);
        List<Long> gone = new ArrayList<>();
        for (int permits : new int[] {1, 10, 2}) {
            limiter.acquire(permits, lease -> gone.add(time.nanoTime()));
        }
        time.holdUp(12 * WAIT, 1);
        time.clock.advanceBy(WAIT);
        time.clock.advanceBy(2 * WAIT);
        assertThat(gone).containsExactly(13 * WAIT, 13 * WAIT, 15 * WAIT); // told after the pass
    }

    @Test
    @DisplayName("a clock that goes on whenever it is read is asked for a few alarms only")
    void goesOnWhenRead() {
        SteppedTime clock = new SteppedTime(0);
        int[] scheduled = {0};
        TimeSource time = new TimeSource() {
            @Override
            public long nanoTime() {
                clock.advanceBy(2 * HeadAlarm.HELD_UP_NANOS);
                return clock.nanoTime();
            }

            @Override
            public Cancellable schedule(Runnable task, long delayNanos) {
                scheduled[0]++;
                return clock.schedule(task, delayNanos);
            }
        };
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofDays(1)))
                .timeSource(time)
                .build();
        limiter.tryAcquire();
        List<Lease> gone = new ArrayList<>();
        limiter.acquire(1, gone::add);
        assertThat(scheduled[0]).isLessThan(20);
        clock.advanceBy(Duration.ofDays(1));
        assertThat(gone).hasSize(1);
    }

    /** A clock that goes on just before an alarm is set, as if the thread had been held up. */
    private static final class HeldUpTime implements TimeSource {

        private final SteppedTime clock;
        private long heldUp;
        private int times;

        HeldUpTime(SteppedTime clock) {
            this.clock = clock;
        }

        void holdUp(long nanos, int times) {
            this.heldUp = nanos;
            this.times = times;
        }

        @Override
        public long nanoTime() {
            return clock.nanoTime();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            if (times-- > 0) {
                clock.advanceBy(heldUp);
            }
            return clock.schedule(task, delayNanos);
        }
    }

    @Test
    @DisplayName("a listener told by an early alarm finds the next alarm set, and may block")
    void setBeforeAnybodyIsTold() {
        LateTime time = new LateTime(0, () -> -PER_READING - 1);
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofNanos(WAIT)))
                .timeSource(time)
                .build();
        limiter.tryAcquire();
        List<Boolean> isSet = new ArrayList<>();
        limiter.acquire(1, lease -> isSet.add(time.task != null));
        limiter.acquire(1, lease -> isSet.add(time.task != null));
        time.runNext();
        assertThat(isSet).containsExactly(true);
        time.runNext();
        assertThat(isSet).containsExactly(true, false);
    }
}
