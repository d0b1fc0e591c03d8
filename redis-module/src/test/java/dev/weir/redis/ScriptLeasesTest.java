package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What nodes hold of a limit of concurrency, and for how long. */
class ScriptLeasesTest extends ScriptsOnAServer {

    @Test
    @DisplayName("a node's permits of concurrency expire unless they are renewed")
    void leasesExpire() {
        Limit limit = Limit.concurrency(5);
        long lease = Duration.ofSeconds(10).toNanos() / 1000;
        assertThat(host.ask(limit, "test", Questions.hold(0, 3), "one", BEGIN).granted())
                .isEqualTo(3);
        assertThat(host.ask(limit, "test", Questions.hold(0, 3), "two", BEGIN).granted())
                .isZero();
        assertThat(host.ask(limit, "test", Questions.hold(0, 2), "two", BEGIN).granted())
                .isEqualTo(2);
        host.ask(limit, "test", Questions.hold(2, 0), "two", BEGIN + lease / 2);
        assertThat(host.ask(limit, "test", Questions.hold(2, 3), "two", BEGIN + lease)
                        .granted())
                .as("the first node was not heard of again")
                .isEqualTo(3);
        assertThat(host.ask(limit, "test", Questions.hold(3, 0), "one", BEGIN + lease)
                        .available())
                .as("it comes back, and is over the limit for that")
                .isEqualTo(-3);
        host.ask(limit, "test", Questions.hold(0, 0), "one", BEGIN + lease);
        assertThat(host.ask(limit, "test", Questions.hold(0, 5), "two", BEGIN + lease)
                        .granted())
                .isEqualTo(5);
    }

    @Test
    @DisplayName(
            "a node that asks with a shorter lease does not shorten what another holds, nor that of a longer lease")
    void leasesOfTheirOwn() {
        Limit limit = Limit.concurrency(5);
        assertThat(hold(limit, Duration.ofMinutes(1), "one", 0, 5, 0).granted()).isEqualTo(5);
        assertThat(hold(limit, Duration.ofSeconds(10), "two", 0, 5, 1).granted())
                .isZero();
        assertThat(hold(limit, Duration.ofSeconds(10), "two", 0, 5, 12).granted())
                .isZero();
        assertThat(hold(limit, Duration.ofMinutes(1), "three", 0, 5, 59).granted())
                .isZero();
        assertThat(hold(limit, Duration.ofSeconds(10), "two", 0, 5, 60).granted())
                .isEqualTo(5);
        assertThat(hold(limit, Duration.ofMinutes(1), "three", 0, 5, -3600).granted())
                .as("the clock was set back")
                .isZero();
        assertThat(hold(limit, Duration.ofMinutes(1), "three", 0, 5, -3590).granted())
                .isEqualTo(5);
    }

    @Test
    @DisplayName("what a node holds stays as long, though others ask after it and hold nothing, or nothing any more")
    void othersHoldNothing() {
        Limit limit = Limit.concurrency(5);
        assertThat(hold(limit, "one", 0, 3, 0).granted()).isEqualTo(3);
        hold(limit, "two", 0, 0, 0);
        checkKept(limit);
        assertThat(hold(limit, "two", 0, 1, 0).granted()).isEqualTo(1);
        hold(limit, "two", 0, 0, 0);
        checkKept(limit);
    }

    private static void checkKept(Limit limit) {
        String key = ScriptHost.keys(limit, "test").get(0);
        assertThat(host.jedis().pttl(key))
                .isGreaterThan(ScriptHost.LEASE.minusSeconds(2).toMillis() + ScriptHost.LONGER_MILLIS);
    }

    @Test
    @DisplayName("who waits and asks no more is forgotten also if the clock was set back meanwhile")
    void waiterForgotten() {
        Limit limit = Limit.concurrency(5);
        long hour = 3_600_000;
        assertThat(hold(limit, "one", 0, 5, 0).granted()).isEqualTo(5);
        assertThat(hold(limit, "two", 0, 5, 0).granted()).isZero();
        hold(limit, "one", 5, 0, -hour);
        hold(limit, "one", 0, 0, 1_100 - hour);
        assertThat(hold(limit, "three", 0, 5, 1_100 - hour).granted()).isEqualTo(5);
    }

    @Test
    @DisplayName("who has waited for a second keeps its place when it reports without asking for anything")
    void waiterThatReports() {
        Limit limit = Limit.concurrency(5);
        assertThat(hold(limit, "one", 0, 5, 0).granted()).isEqualTo(5);
        for (long millis = 0; millis <= 800; millis += 200) {
            assertThat(hold(limit, "two", 0, 2, millis).granted()).isZero();
        }
        hold(limit, "two", 0, 0, 950);
        assertThat(hold(limit, "two", 0, 2, 1_000).granted()).isZero();
        assertThat(hold(limit, "one", 3, 2, 1_050).granted())
                .as("what has just become free is kept")
                .isZero();
        assertThat(hold(limit, "two", 0, 2, 1_100).granted()).isEqualTo(2);
    }

    /** Reports, and asks, so many milliseconds after the beginning. */
    private static Answer hold(Limit limit, String node, int held, int wanted, long millis) {
        return host.ask(limit, "test", Questions.hold(held, wanted), node, BEGIN + millis * 1_000);
    }

    private static Answer hold(Limit limit, Duration lease, String node, int held, int wanted, long seconds) {
        LimitWords words = LimitWords.of(limit, lease);
        return Answer.of(host.run(
                words.script().text(),
                ScriptHost.keys(limit, "test"),
                List.of(words.arguments(Questions.hold(held, wanted), node)),
                BEGIN + seconds * 1_000_000));
    }
}
