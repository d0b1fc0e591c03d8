package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is kept of a limit once it is another, at the time of the server. */
class ScriptReconfiguredTest extends ScriptsOnAServer {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int ALL = 10;

    private record Change(Limit before, Limit after) {}

    private static List<Change> changes() {
        return List.of(
                new Change(Limit.of(ALL, SECOND), Limit.of(ALL, DAY)),
                new Change(Limit.slidingWindow(ALL, SECOND, 5), Limit.slidingWindow(ALL, DAY, 5)),
                new Change(Limit.fixedWindow(ALL, SECOND), Limit.fixedWindow(ALL, DAY)),
                new Change(Limit.slidingWindowCounter(ALL, SECOND), Limit.slidingWindowCounter(ALL, DAY)),
                new Change(Limit.tokenBucket(ALL, ALL, SECOND), Limit.tokenBucket(ALL, ALL, DAY)),
                new Change(
                        Limit.leakyBucket(ALL, SECOND).withSlack(ALL - 1),
                        Limit.leakyBucket(ALL, DAY).withSlack(ALL - 1)));
    }

    private void checkKept(Limit limit) {
        for (String key : ScriptHost.keys(limit, "test")) {
            assertThat(host.jedis().pttl(key))
                    .as("milliseconds that %s keeps %s", limit, key)
                    .isGreaterThan(DAY.toMillis() / 2);
        }
        assertThat(ask(limit, Questions.look(), BEGIN).available()).isZero();
    }

    @Test
    @DisplayName("a question that writes keeps what was taken for as long as it counts under the limit as it is now")
    void writes() {
        for (Change change : changes()) {
            host.flush();
            assertThat(ask(change.before, Questions.take(ALL), BEGIN).granted()).isEqualTo(ALL);
            ask(change.after, Questions.look().writing(), BEGIN);
            checkKept(change.after);
        }
    }

    @Test
    @DisplayName("of several limits it keeps all")
    void several() {
        Limit before = Limit.allOf(Limit.of(ALL, SECOND), Limit.tokenBucket(ALL, ALL, SECOND));
        Limit after = Limit.allOf(Limit.of(ALL, DAY), Limit.tokenBucket(ALL, ALL, DAY));
        assertThat(ask(before, Questions.take(ALL), BEGIN).granted()).isEqualTo(ALL);
        ask(after, Questions.look().writing(), BEGIN);
        checkKept(after);
    }

    @Test
    @DisplayName(
            "a look writes nothing, be it by another limit: nodes that differ do not keep each other's window from being over")
    void looks() {
        for (Change change : changes()) {
            host.flush();
            assertThat(ask(change.after, Questions.take(ALL), BEGIN).granted()).isEqualTo(ALL);
            String key = ScriptHost.keys(change.after, "test").get(0);
            String state = host.jedis().get(key);
            ask(change.after, Questions.look(), BEGIN);
            ask(change.before, Questions.look(), BEGIN);
            assertThat(host.jedis().get(key)).as("%s", change).isEqualTo(state);
        }
    }

    @Test
    @DisplayName(
            "a change brings nothing at its moment, not even to a window of which as much is over as the new one takes")
    void nothingAtTheMoment() {
        long second = SECOND.toNanos() / 1_000;
        for (Change change : changes()) {
            for (long later : new long[] {0, 1, second - 1, second, second + 1, 2 * second}) {
                host.flush();
                Limit longer = change.after;
                assertThat(ask(longer, Questions.take(1), BEGIN).granted()).isOne();
                assertThat(ask(longer, Questions.take(ALL - 1), BEGIN + later).granted())
                        .isEqualTo(ALL - 1);
                assertThat(ask(change.before, Questions.take(2), BEGIN + later).granted())
                        .as("%s, at %d", change, later)
                        .isZero();
            }
        }
    }

    @Test
    @DisplayName("a place that was left free among bookings is not taken for another once the limit is another")
    void placesUnderAnotherLimit() {
        Duration apart = SECOND.multipliedBy(7);
        for (Change change : List.of(
                new Change(Limit.tokenBucket(1, 1, apart), Limit.tokenBucket(1, 3, apart)),
                new Change(Limit.leakyBucket(1, apart), Limit.leakyBucket(3, apart)))) {
            host.flush();
            List<Long> kept = new ArrayList<>();
            Question five = Questions.book(1, 5, DAY.toNanos());
            host.ask(change.before, "test", five, "node", BEGIN).bookings().forEach(each -> kept.add(each.inNanos()));
            assertThat(kept).hasSize(4);
            Question third = Questions.undo(Questions.booked(1, BEGIN * 1_000 + kept.remove(2)));
            host.ask(change.before, "test", third, "node", BEGIN);

            Answer next = host.ask(change.after, "test", Questions.book(1, 1, 0), "node", BEGIN);
            long place = next.bookings().get(0).inNanos();
            assertThat(kept)
                    .as("%s, then one in %d ns", change, place)
                    .allSatisfy(each -> assertThat(Math.abs(each - place)).isGreaterThan(apart.toNanos() / 3 - 1_000));
        }
    }
}
