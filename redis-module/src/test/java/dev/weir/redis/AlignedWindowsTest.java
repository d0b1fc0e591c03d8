package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Aligned windows are those of the server's clock, whatever becomes of it, and of the limit, while somebody always waits. */
class AlignedWindowsTest extends ScriptsOnAServer {

    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final long MICROS = WINDOW.toNanos() / 1000;
    private static final int PERMITS = 4;
    private static final Limit ALIGNED = Limit.fixedWindow(PERMITS, WINDOW).aligned();

    /** In each window one waits for the next: where that begins is seen, but for the first, for which somebody else waits. */
    private static void checkNextWindows(long nowMicros, String about) {
        long end = nowMicros - nowMicros % MICROS + MICROS;
        for (int window = 0; window < 5; window++, end += MICROS) {
            long now = end - 2_000_000;
            ask(ALIGNED, Questions.taking(Wanted.atOnce(1, PERMITS)), now);
            Answer booked = ask(ALIGNED, Questions.book(1, 1, 0), now);
            assertThat(booked.bookings())
                    .as("%s, window %d: %s", about, window, booked)
                    .hasSize(1);
            long due = now + booked.bookings().get(0).inNanos() / 1000;
            if (window > 0) {
                assertThat(due).as("%s, window %d: %s", about, window, booked).isEqualTo(end);
            }
        }
    }

    @Test
    @DisplayName("after the server's clock was set back, by whatever time")
    void setBack() {
        for (long back : new long[] {1, 1_000_000, MICROS - 1, MICROS, 7 * MICROS + 1_000_000}) {
            host.flush();
            ask(ALIGNED, Questions.take(PERMITS), BEGIN);
            ask(ALIGNED, Questions.book(1, 1, 0), BEGIN);
            ask(ALIGNED, Questions.look(), BEGIN - back);
            checkNextWindows(BEGIN - back, "set back by " + back);
        }
    }

    @Test
    @DisplayName("after the limit was one whose windows begin at first use")
    void changedToAligned() {
        Limit before = Limit.fixedWindow(PERMITS, WINDOW);
        ask(before, Questions.take(PERMITS), BEGIN);
        ask(before, Questions.book(1, 1, 0), BEGIN);
        ask(ALIGNED, Questions.look().writing(), BEGIN + 1);
        checkNextWindows(BEGIN + 1, "changed");
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
}
