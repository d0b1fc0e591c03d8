package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.time.TimeSource.Cancellable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

final class VirtualTimeSourceTest {

    abstract static class Laws {

        private final long origin;
        private final VirtualTimeSource time;
        private final List<String> ran = new ArrayList<>();

        Laws(long origin) {
            this.origin = origin;
            this.time = new VirtualTimeSource(origin);
        }

        private void schedule(String name, long delayNanos) {
            time.schedule(() -> ran.add(name + " at " + sinceOrigin()), delayNanos);
        }

        private long sinceOrigin() {
            return time.nanoTime() - origin;
        }

        private void advance(long nanos) {
            time.advanceBy(Duration.ofNanos(nanos));
        }

        @Test
        void standsStillUntilAdvanced() {
            assertThat(time.nanoTime()).isEqualTo(origin);
            advance(7);
            assertThat(time.nanoTime()).isEqualTo(origin + 7);
            assertThat(time.elapsed()).isEqualTo(Duration.ofNanos(7));
        }

        @Test
        void tasksRunAtTheirDueInstantInOrderOfTimeThenOfScheduling() {
            schedule("late", 30);
            schedule("first of two", 10);
            schedule("second of two", 10);
            schedule("soon", 3);
            advance(29);
            assertThat(ran).containsExactly("soon at 3", "first of two at 10", "second of two at 10");
            assertThat(sinceOrigin()).isEqualTo(29);
            advance(1);
            assertThat(ran).last().isEqualTo("late at 30");
            assertThat(time.pendingTasks()).isZero();
        }

        @Test
        void oneWithoutDelayWaitsForTheNextAdvance() {
            schedule("now", 0);
            schedule("before", -5);
            assertThat(ran).isEmpty();
            assertThat(time.pendingTasks()).isEqualTo(2);
            time.advanceBy(Duration.ZERO);
            assertThat(ran).containsExactly("now at 0", "before at 0");
        }

        @Test
        void tasksOfTasksRunIfTheyFallDueOnTheWay() {
            time.schedule(() -> schedule("due", 5), 5);
            time.schedule(() -> schedule("not due", 6), 5);
            advance(10);
            assertThat(ran).containsExactly("due at 10");
            assertThat(time.pendingTasks()).isEqualTo(1);
        }

        @Test
        void oneThatNeverComesIsPendingForEver() {
            schedule("never", Long.MAX_VALUE);
            time.advanceBy(Duration.ofDays(365 * 200));
            schedule("never either", Long.MAX_VALUE);
            assertThat(time.pendingTasks()).isEqualTo(2);
            assertThat(ran).isEmpty();
        }

        @Test
        void aCancelledTaskIsNotPendingAndDoesNotRun() {
            Cancellable cancelled = time.schedule(() -> ran.add("cancelled"), 5);
            schedule("other", 5);
            cancelled.cancel();
            cancelled.cancel();
            assertThat(time.pendingTasks()).isEqualTo(1);
            advance(5);
            cancelled.cancel();
            assertThat(ran).containsExactly("other at 5");
        }

        @Test
        void tasksMayCancelEachOtherAndComeTooLateForThemselves() {
            List<Cancellable> handles = new ArrayList<>();
            handles.add(time.schedule(() -> handles.forEach(Cancellable::cancel), 5));
            handles.add(time.schedule(() -> ran.add("cancelled"), 5));
            advance(9);
            assertThat(ran).isEmpty();
            assertThat(time.pendingTasks()).isZero();
        }

        @Test
        void tasksMayAdvanceTheClockWhichNeverGoesBack() {
            time.schedule(
                    () -> {
                        advance(20);
                        ran.add("outer at " + sinceOrigin());
                    },
                    5);
            schedule("inner", 9);
            schedule("beyond", 26);
            advance(10);
            assertThat(ran).containsExactly("inner at 9", "outer at 25");
            assertThat(sinceOrigin()).isEqualTo(25);
        }

        @Test
        void whatATaskThrowsComesOutAndTheRestStaysPending() {
            time.schedule(
                    () -> {
                        throw new IllegalStateException("on purpose");
                    },
                    5);
            schedule("after", 6);
            assertThatThrownBy(() -> advance(10)).hasMessage("on purpose");
            assertThat(sinceOrigin()).isEqualTo(5);
            advance(1);
            assertThat(ran).containsExactly("after at 6");
        }

        @Test
        void anyScheduleRunsAsSortedByTimeAndNumber() {
            Seeds.each(5, seed -> {
                Random random = new Random(seed);
                List<Long> due = new ArrayList<>();
                List<Long> order = new ArrayList<>();
                for (int i = 0; i < 500; i++) {
                    long delay = random.nextInt(100);
                    long key = (sinceOrigin() + delay) * 10_000 + i;
                    due.add(key);
                    time.schedule(() -> order.add(key), delay);
                    if (random.nextInt(5) == 0) {
                        advance(random.nextInt(20));
                    }
                }
                advance(100);
                assertThat(order).containsExactlyInAnyOrderElementsOf(due).isSorted();
            });
        }
    }

    @Nested
    final class FromZero extends Laws {
        FromZero() {
            super(0);
        }
    }

    @Nested
    final class FromMinusOne extends Laws {
        FromMinusOne() {
            super(-1);
        }
    }

    @Nested
    final class FromTheSmallestTime extends Laws {
        FromTheSmallestTime() {
            super(Long.MIN_VALUE);
        }
    }

    @Nested
    final class FromJustBeforeTheWrap extends Laws {
        FromJustBeforeTheWrap() {
            super(Long.MAX_VALUE - 4);
        }
    }

    @Test
    void beginsAtZeroUnlessTold() {
        assertThat(new VirtualTimeSource().nanoTime()).isZero();
    }

    @Test
    void cannotGoBackNorBeyondItsEnd() {
        VirtualTimeSource time = new VirtualTimeSource();
        assertThatThrownBy(() -> time.advanceBy(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT-0.000000001S");
        time.advanceBy(Duration.ofNanos(Long.MAX_VALUE));
        assertThatThrownBy(() -> time.advanceBy(Duration.ofNanos(1))).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> time.schedule(null, 1))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("task");
    }
}
