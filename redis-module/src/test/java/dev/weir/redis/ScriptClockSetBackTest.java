package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What comes back after the server's clock was set back: it was taken at a time that is yet to come. */
class ScriptClockSetBackTest extends ScriptsOnAServer {

    private static final Duration PERIOD = Duration.ofMinutes(10);

    @Test
    @DisplayName(
            "what was taken before the clock was set back, and is given back then, is there again, if not in a log")
    void givenBackAfterTheClockWasSetBack() {
        for (Limit limit : List.of(
                Limit.tokenBucket(4, 4, PERIOD), Limit.fixedWindow(4, PERIOD), Limit.slidingWindowCounter(4, PERIOD))) {
            host.flush();
            ask(limit, Questions.take(4), BEGIN + 10_000_000);
            Question undo = Questions.undo(Slot.taken(4, (BEGIN + 10_000_000) * 1_000, false));
            assertThat(ask(limit, undo, BEGIN).available()).as("%s", limit).isEqualTo(4);
        }
    }

    @Test
    @DisplayName(
            "what was taken before the clock was set back takes no booking from others when it is given back to a log")
    void bookingsAfterTheClockWasSetBack() {
        for (Limit limit : List.of(Limit.of(4, PERIOD), Limit.slidingWindow(4, PERIOD, 3))) {
            host.flush();
            ask(limit, Questions.take(4), BEGIN + 10_000_000);
            assertThat(ask(limit, Questions.book(1, 4, PERIOD.toNanos() * 2), BEGIN)
                            .bookings())
                    .as("%s", limit)
                    .isNotEmpty();
            Answer before = ask(limit, Questions.look(), BEGIN);
            Question undo = Questions.undo(Slot.taken(4, (BEGIN + 10_000_000) * 1_000, false));
            assertThat(ask(limit, undo, BEGIN)).as("%s", limit).isEqualTo(before);
        }
    }
}
