package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.FixedWindow;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Aligned windows are those of the server's clock, whatever becomes of it, and of the limit, while somebody always waits. */
class AlignedWindowsTest extends ScriptsOnAServer {

    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final long MICROS = WINDOW.toNanos() / 1000;
    private static final int PERMITS = 4;
    private static final Limit ALIGNED = Limit.fixedWindow(PERMITS, WINDOW).aligned();

    /** One second before the window of {@link #BEGIN}. */
    private static final long BEFORE = BEGIN - BEGIN % MICROS - 1_000_000;

    /**
     * In the first window as many are granted as are left. In each one waits for the next: where that begins is seen, but for the
     * first, for which somebody else waits.
     */
    private static void checkNextWindows(long nowMicros, int left, String about) {
        long end = nowMicros - nowMicros % MICROS + MICROS;
        for (int window = 0; window < 5; window++, end += MICROS) {
            long now = end - 2_000_000;
            long granted = takeAll(now);
            Answer booked = ask(ALIGNED, Questions.book(1, 1, 0), now);
            assertThat(booked.bookings())
                    .as("%s, window %d: %s", about, window, booked)
                    .hasSize(1);
            long due = now + booked.bookings().get(0).inNanos() / 1000;
            if (window > 0) {
                assertThat(due).as("%s, window %d: %s", about, window, booked).isEqualTo(end);
            } else {
                assertThat(granted).as("%s, left", about).isEqualTo(left);
            }
        }
    }

    private static long takeAll(long nowMicros) {
        return ask(ALIGNED, Questions.taking(Wanted.atOnce(1, PERMITS)), nowMicros)
                .granted();
    }

    @Test
    @DisplayName("after the server's clock was set back, by whatever time; what was left of the window is there")
    void setBack() {
        for (long back : new long[] {1, 1_000_000, 201_000_000, MICROS - 1, MICROS, 7 * MICROS + 1_000_000}) {
            for (int taken = 1; taken <= PERMITS; taken++) {
                host.flush();
                ask(ALIGNED, Questions.take(taken), BEGIN);
                if (taken == PERMITS) {
                    ask(ALIGNED, Questions.book(1, 1, 0), BEGIN);
                }
                ask(ALIGNED, Questions.look(), BEGIN - back);
                checkNextWindows(BEGIN - back, PERMITS - taken, taken + " taken, set back by " + back);
            }
        }
    }

    @Test
    @DisplayName("after the limit was one whose windows begin at first use")
    void changedToAligned() {
        Limit before = Limit.fixedWindow(PERMITS, WINDOW);
        ask(before, Questions.take(PERMITS), BEGIN);
        ask(before, Questions.book(1, 1, 0), BEGIN);
        ask(ALIGNED, Questions.look().writing(), BEGIN + 1);
        checkNextWindows(BEGIN + 1, 0, "changed");
    }

    @Test
    @DisplayName("what was taken in a window that began at first use counts in the aligned one of now, and no longer")
    void changedToAlignedWithoutBookings() {
        for (long seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            host.flush();
            long began = BEGIN + random.nextLong(MICROS);
            ask(Limit.fixedWindow(PERMITS, WINDOW), Questions.take(PERMITS), began);
            long now = began + random.nextLong(MICROS);
            assertThat(ask(ALIGNED, Questions.take(1), now).waitNanos() / 1000)
                    .as("seed %d", seed)
                    .isEqualTo(MICROS - now % MICROS);
        }
    }

    @Test
    @DisplayName(
            "a window is kept at least for as long as the clock may be set back over its end: its length, or a minute if that is less")
    void keptBeyondItsEnd() {
        for (Duration window : List.of(Duration.ofSeconds(30), WINDOW)) {
            Limit limit = Limit.fixedWindow(PERMITS, window).aligned();
            host.flush();
            Answer taken = ask(limit, Questions.take(1), BEGIN);
            long over = Math.min(window.toNanos(), Duration.ofMinutes(1).toNanos());
            host.checkKept(limit, "test", taken.fullNanos() + over, "after " + taken);
        }
    }

    @Test
    @DisplayName("a window's rest is granted to requests before its begin, after the clock was set back")
    void leftBeforeItBegins() {
        ask(ALIGNED, Questions.take(1), BEGIN);
        assertThat(ask(ALIGNED, Questions.take(1), BEFORE).granted()).isEqualTo(1);
        assertThat(takeAll(BEFORE + 1)).isEqualTo(2);
        assertThat(takeAll(BEGIN)).isZero();
    }

    @Test
    @DisplayName("a permit comes back before its window begins, after a step back, but not one that is over")
    void givenBackBeforeItBegins() {
        ask(ALIGNED, Questions.take(PERMITS), BEFORE - MICROS);
        ask(ALIGNED, Questions.take(1), BEGIN);
        assertThat(availableWithout(BEFORE - MICROS, BEFORE)).as("over").isEqualTo(PERMITS - 1);
        assertThat(availableWithout(BEGIN, BEFORE)).as("before the step").isEqualTo(PERMITS);
        ask(ALIGNED, Questions.take(1), BEFORE + 1);
        assertThat(availableWithout(BEFORE + 1, BEFORE + 2))
                .as("after the step")
                .isEqualTo(PERMITS);
    }

    private static long availableWithout(long takenMicros, long nowMicros) {
        Slot taken = Slot.taken(1, takenMicros * 1000, false);
        return ask(ALIGNED, Questions.undo(taken), nowMicros).available();
    }

    @Test
    @DisplayName("a request waits longer by no more than the step of the clock, nor for two windows")
    void waitsAfterSteps() {
        for (long seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            host.flush();
            long now = BEGIN + random.nextLong(MICROS);
            takeAll(now);
            long wait = ask(ALIGNED, Questions.take(1), now).waitNanos() / 1000;
            for (int i = 0; i < 20; i++) {
                long back = 1 + random.nextLong(MICROS);
                now -= back;
                long longer = ask(ALIGNED, Questions.take(1), now).waitNanos() / 1000;
                assertThat(longer)
                        .as("seed %d, step %d, by %d", seed, i, back)
                        .isPositive()
                        .isLessThanOrEqualTo(Math.min(wait + back, 2 * MICROS));
                wait = longer;
            }
        }
    }

    @Test
    @DisplayName("a window left by a step of the clock ends as one of the limit that was changed to")
    void changedAfterAStep() {
        FixedWindow brief = Limit.fixedWindow(PERMITS, Duration.ofSeconds(1));
        Limit weighed = Limit.slidingWindowCounter(PERMITS, Duration.ofSeconds(1));
        for (Limit limit : List.of(brief, brief.aligned(), weighed)) {
            host.flush();
            ask(ALIGNED, Questions.take(PERMITS), BEGIN);
            ask(ALIGNED, Questions.look(), BEFORE - 100_000_000);
            assertThat(ask(limit, Questions.take(1), BEFORE - 100_000_000).waitNanos())
                    .as("%s", limit)
                    .isBetween(1L, 2 * Duration.ofSeconds(1).toNanos());
        }
    }

    @Test
    @DisplayName("another limit makes of a window what it makes of it without a small step of the clock")
    void changedWhileTheClockStepsBack() {
        FixedWindow brief = Limit.fixedWindow(PERMITS, Duration.ofMinutes(1));
        FixedWindow hour = Limit.fixedWindow(PERMITS, Duration.ofHours(1));
        long now = BEGIN + 300_000;
        for (Limit before : List.of(brief, brief.aligned(), hour)) {
            List<Answer> answers = new ArrayList<>();
            for (long back : new long[] {0, 5_000}) {
                host.flush();
                ask(before, Questions.take(PERMITS), now);
                ask(hour.aligned(), Questions.look().writing(), now - back);
                answers.add(ask(hour.aligned(), Questions.look(), now + 2_000_000));
            }
            assertThat(answers.get(1)).as("%s", before).isEqualTo(answers.get(0));
        }
    }

    @Test
    @DisplayName("a clock that goes to and fro around the end of a window brings no more than that window and the next")
    void toAndFro() {
        for (long seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            host.flush();
            long end = BEGIN - BEGIN % MICROS + MICROS;
            long taken = 0;
            for (int i = 0; i < 40; i++) {
                long now = end - 5_000_000 + random.nextInt(10_000_000);
                taken += ask(ALIGNED, Questions.take(1 + random.nextInt(PERMITS)), now)
                        .granted();
            }
            assertThat(taken).as("seed %d", seed).isBetween((long) PERMITS, 2L * PERMITS);
        }
    }

    @Test
    @DisplayName("however the clock goes, no interval has more than its bound, by the time that the clock goes forward")
    void boundOfIntervals() {
        for (long seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            host.flush();
            long now = BEGIN;
            long forward = 0;
            List<long[]> takes = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                long step = random.nextLong(1 + MICROS / (1 + random.nextInt(20)));
                if (random.nextInt(3) == 0) {
                    now -= random.nextInt(4) * step;
                } else {
                    now += step;
                    forward += step;
                }
                long granted = ask(ALIGNED, Questions.take(1 + random.nextInt(PERMITS)), now)
                        .granted();
                takes.add(new long[] {forward, granted});
            }
            checkBound(takes, "seed " + seed);
        }
    }

    private static void checkBound(List<long[]> takes, String about) {
        for (int first = 0; first < takes.size(); first++) {
            long taken = 0;
            for (int last = first; last < takes.size(); last++) {
                taken += takes.get(last)[1];
                long length = takes.get(last)[0] - takes.get(first)[0];
                assertThat(taken)
                        .as("%s, takes %d to %d", about, first, last)
                        .isLessThanOrEqualTo(PERMITS * ((length + MICROS - 1) / MICROS + 1));
            }
        }
    }
}
