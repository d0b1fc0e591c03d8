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
    @DisplayName("a node's permits count that were held before leases were written down")
    void leasesUnwritten() {
        Limit limit = Limit.concurrency(5);
        assertThat(hold(limit, ScriptHost.LEASE, "one", 0, 3, 0).granted()).isEqualTo(3);
        assertThat(hold(limit, ScriptHost.LEASE, "two", 0, 2, 0).granted()).isEqualTo(2);
        String key = ScriptHost.keys(limit, "test").get(0);
        host.jedis().set(key, host.jedis().get(key).replaceAll(":[0-9]+(,|$)", "$1"));
        assertThat(hold(limit, ScriptHost.LEASE, "three", 0, 1, 9).granted()).isZero();
        assertThat(hold(limit, ScriptHost.LEASE, "three", 0, 5, 10).granted()).isEqualTo(5);
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
