package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
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

    @Test
    @DisplayName("what becomes free is kept from the moment on that somebody has waited for a second, and not before")
    void keptAfterASecond() {
        Limit limit = Limit.concurrency(5);
        for (long millis : new long[] {200, 999, 1_000}) {
            host.flush();
            assertThat(hold(limit, "one", 0, 5, 0).granted()).isEqualTo(5);
            assertThat(hold(limit, "two", 0, 2, 0).granted()).isZero();
            waitUntil(millis - 1, limit, 2, "two");
            assertThat(hold(limit, "one", 3, 2, millis).granted())
                    .as("after %d ms", millis)
                    .isEqualTo(millis < 1_000 ? 2 : 0);
        }
    }

    @Test
    @DisplayName("what is kept for somebody is kept until 300 ms after it has asked last")
    void keptWhileItAsks() {
        Limit limit = Limit.concurrency(5);
        for (long millis : new long[] {1, 299, 300}) {
            host.flush();
            assertThat(hold(limit, "one", 0, 5, 0).granted()).isEqualTo(5);
            waitUntil(2_000, limit, 2, "two");
            assertThat(hold(limit, "one", 3, 2, 2_000 + millis).granted())
                    .as("%d ms after", millis)
                    .isEqualTo(millis < 300 ? 0 : 2);
        }
    }

    @Test
    @DisplayName("who has got what it waited for keeps nothing more from others")
    void servedWaiter() {
        Limit limit = Limit.concurrency(5);
        assertThat(hold(limit, "one", 0, 5, 0).granted()).isEqualTo(5);
        waitUntil(1_000, limit, 2, "two");
        hold(limit, "one", 3, 0, 1_050);
        assertThat(hold(limit, "two", 0, 2, 1_100).granted()).isEqualTo(2);
        assertThat(hold(limit, "one", 1, 2, 1_150).granted()).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "of those who have waited for a second the first is served first, and of two of the same moment either")
    void firstComeFirstServed() {
        Limit limit = Limit.concurrency(5);
        for (long later : new long[] {0, 1}) {
            host.flush();
            assertThat(hold(limit, "one", 0, 5, 0).granted()).isEqualTo(5);
            assertThat(hold(limit, "two", 0, 2, 0).granted()).isZero();
            assertThat(hold(limit, "three", 0, 2, later).granted()).isZero();
            waitUntil(1_250, limit, 2, "two", "three");
            hold(limit, "one", 3, 0, 1_300);
            long mayBeFirst = later == 0 ? 2 : 0;
            assertThat(hold(limit, "three", 0, 2, 1_300).granted())
                    .as("%d ms later", later)
                    .isEqualTo(mayBeFirst);
            assertThat(hold(limit, "two", 0, 2, 1_300).granted())
                    .as("%d ms later", later)
                    .isEqualTo(2 - mayBeFirst);
        }
    }

    @Test
    @DisplayName("who waits when the clock is set back has waited for a second a second later")
    void waiterAfterTheClockWasSetBack() {
        Limit limit = Limit.concurrency(5);
        long hour = 3_600_000;
        assertThat(hold(limit, "one", 0, 5, 0).granted()).isEqualTo(5);
        waitUntil(400, limit, 2, "two");
        for (long millis = 0; millis <= 1_000; millis += 200) {
            assertThat(hold(limit, "two", 0, 2, millis - hour).granted()).isZero();
        }
        assertThat(hold(limit, "one", 3, 2, 1_050 - hour).granted()).isZero();
        assertThat(hold(limit, "two", 0, 2, 1_100 - hour).granted()).isEqualTo(2);
    }

    @Test
    @DisplayName("no more than 64 that wait are remembered, and who is one of them keeps its place")
    void waitersAreBounded() {
        Limit limit = Limit.concurrency(5);
        assertThat(hold(limit, "one", 0, 5, 0).granted()).isEqualTo(5);
        for (int round = 0; round < 6; round++) {
            for (int node = 0; node < 100; node++) {
                assertThat(hold(limit, "node-" + node, 0, 2, 200L * round).granted())
                        .isZero();
            }
        }
        String state = host.jedis().get(ScriptHost.keys(limit, "test").get(0));
        assertThat(state.substring(state.indexOf('|') + 1).split(","))
                .hasSize(64)
                .allSatisfy(waiter -> assertThat(waiter).matches("node-([0-5]?[0-9]|6[0-3]):.*"));
    }

    @Test
    @DisplayName("who waits is remembered for as long as it may ask again, though nobody holds anything any more")
    void waitersOutliveLeases() {
        Limit limit = Limit.concurrency(5);
        UnaryOperator<String> aThousandTimesLonger = script -> script.replace("math.ceil(", "1000 * math.ceil(");
        assertThat(hold(limit, "one", 0, 5, 0).granted()).isEqualTo(5);
        assertThat(hold(limit, "two", 0, 5, 100).granted()).isZero();
        host.ask(limit, "test", Questions.hold(0, 0), "one", BEGIN + 100_000, aThousandTimesLonger);
        String key = ScriptHost.keys(limit, "test").get(0);
        assertThat(host.jedis().pttl(key) - ScriptHost.LONGER_MILLIS).isBetween(290_000L, 301_000L);
    }

    /** Has nodes ask in vain every 200 ms until then. */
    private static void waitUntil(long millis, Limit limit, int wanted, String... nodes) {
        for (long at = millis % 200; at <= millis; at += 200) {
            for (String node : nodes) {
                assertThat(hold(limit, node, 0, wanted, at).granted()).isZero();
            }
        }
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
