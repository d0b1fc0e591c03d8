package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The short way through a script answers, and leaves behind, what the long way does. */
class QuickScriptTest extends OnAServer {

    private static final String SHORT = "if #KEYS == 1 and";
    private static final int STEPS = 300;
    private static final int PERIOD_MICROS = 600_000_000; // the server forgets by its own clock: not within this test
    private static final Duration PERIOD = Duration.ofNanos(PERIOD_MICROS * 1000L);

    private static final List<Limit> LIMITS = List.of(
            Limit.of(5, PERIOD),
            Limit.of(5_000, PERIOD),
            Limit.slidingWindow(40, PERIOD, 4),
            Limit.tokenBucket(20, 7, PERIOD),
            Limit.tokenBucket(9, 3, PERIOD).startingWith(2),
            Limit.leakyBucket(7, PERIOD),
            Limit.leakyBucket(7, PERIOD).withSlack(3));

    @Test
    @DisplayName("a short way gives the answers and states of the long one, whatever is asked before")
    void sameAnswers() {
        for (Limit limit : LIMITS) {
            for (long seed = 1; seed <= 3; seed++) {
                host.flush();
                run(limit, seed);
            }
        }
    }

    private void run(Limit limit, long seed) {
        Random random = new Random(seed);
        long now = ScriptHost.BEGIN;
        for (int step = 0; step < STEPS; step++) {
            Question question = Questions.any(limit, PERIOD, random, now);
            String about = limit + ", seed " + seed + ", step " + step + ": " + question;
            Answer expected = host.ask(limit, "long", question, "node", now, QuickScriptTest::without);
            assertThat(host.ask(limit, "short", question, "node", now))
                    .as(about)
                    .isEqualTo(expected);
            assertThat(state("short")).as(about).isEqualTo(state("long"));
            // The clock may also stand still, or be set back a little.
            now += random.nextInt(8) == 0 ? -random.nextInt(1_000) : random.nextInt(PERIOD_MICROS / 20);
        }
    }

    private static String without(String text) {
        assertThat(text).contains(SHORT);
        return text.replace(SHORT, "if false and");
    }

    private static List<String> state(String tag) {
        return host.jedis().keys("*{" + tag + "}*").stream()
                .map(key -> host.jedis().get(key))
                .toList();
    }
}
