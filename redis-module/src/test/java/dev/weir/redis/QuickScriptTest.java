package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The short way through a script answers, and leaves behind, what the long way does. */
class QuickScriptTest extends OnAServer {

    private static final UnaryOperator<String> LONG_ALONE = replacing("if #KEYS == 1 and", "if false and");
    private static final UnaryOperator<String> SHORT_ALONE =
            replacing("local one, most =", "error('the long way') local one, most =");

    private static final int STEPS = 300;
    private static final int PERIOD_MICROS = 600_000_000;
    private static final Duration PERIOD = Duration.ofNanos(PERIOD_MICROS * 1000L);

    private static final List<Limit> LIMITS = List.of(
            Limit.of(5, PERIOD),
            Limit.of(5_000, PERIOD),
            Limit.slidingWindow(40, PERIOD, 4),
            Limit.tokenBucket(20, 7, PERIOD),
            Limit.tokenBucket(9, 3, PERIOD).startingWith(2),
            Limit.leakyBucket(7, PERIOD),
            Limit.leakyBucket(7, PERIOD).withSlack(3));

    /** Limits, each with another that nodes may have instead while they differ. */
    private static final List<List<Limit>> CHANGED = List.of(
            List.of(Limit.of(5, PERIOD), Limit.of(2, PERIOD)),
            List.of(Limit.of(1, PERIOD), Limit.of(3, PERIOD.dividedBy(2))),
            List.of(Limit.slidingWindow(12, PERIOD, 4), Limit.slidingWindow(4, PERIOD, 3)),
            List.of(Limit.tokenBucket(6, 7, PERIOD), Limit.tokenBucket(3, 7, PERIOD)),
            List.of(Limit.tokenBucket(1, 3, PERIOD), Limit.tokenBucket(1, 2, PERIOD)),
            List.of(
                    Limit.tokenBucket(9, 3, PERIOD).startingWith(2),
                    Limit.tokenBucket(5, 3, PERIOD).startingWith(0)),
            List.of(Limit.leakyBucket(7, PERIOD), Limit.leakyBucket(4, PERIOD)),
            List.of(
                    Limit.leakyBucket(7, PERIOD).withSlack(3),
                    Limit.leakyBucket(7, PERIOD).withSlack(1)));

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
            compare(limit, question, now, "seed " + seed + ", step " + step);
            // The clock may also stand still, or be set back a little.
            now += random.nextInt(8) == 0 ? -random.nextInt(1_000) : random.nextInt(PERIOD_MICROS / 20);
        }
    }

    @Test
    @DisplayName("both ways refuse alike what does not wait: new keys, debts, bookings, clocks set back, other limits")
    void sameRefusals() {
        for (List<Limit> limits : CHANGED) {
            for (long seed = 1; seed <= 3; seed++) {
                host.flush();
                overload(limits, seed);
            }
        }
    }

    private void overload(List<Limit> limits, long seed) {
        Random random = new Random(seed);
        long now = ScriptHost.BEGIN;
        for (int step = 0; step < STEPS; step++) {
            Limit limit = limits.get(random.nextInt(8) == 0 ? 1 : 0);
            boolean isOther = random.nextInt(16) == 0;
            Question question = isOther ? Questions.any(limit, PERIOD, random, now) : atOnce(limit, random);
            compare(limit, question, now, "seed " + seed + ", step " + step);
            if (random.nextInt(40) == 0) {
                host.flush();
            }
            boolean isSetBack = random.nextInt(16) == 0;
            now += isSetBack ? -random.nextInt(PERIOD_MICROS / 20) : random.nextInt(PERIOD_MICROS / 20);
        }
    }

    /** Asks for one, or for as many as there can ever be, and now and then for one more. */
    private static Question atOnce(Limit limit, Random random) {
        int one = 1 + random.nextInt(random.nextBoolean() ? 1 : limit.capacity() + 1);
        return Questions.taking(Wanted.atOnce(one, (long) one * (1 + random.nextInt(3))));
    }

    private static void compare(Limit limit, Question question, long now, String when) {
        String about = limit + ", " + when + ": " + question;
        Answer expected = host.ask(limit, "long", question, "node", now, LONG_ALONE);
        assertThat(host.ask(limit, "short", question, "node", now)).as(about).isEqualTo(expected);
        assertThat(state("short")).as(about).isEqualTo(state("long"));
    }

    private static UnaryOperator<String> replacing(String part, String instead) {
        return text -> {
            assertThat(text).contains(part);
            return text.replace(part, instead);
        };
    }

    private static List<String> state(String tag) {
        return host.jedis().keys("*{" + tag + "}*").stream()
                .map(key -> host.jedis().get(key))
                .toList();
    }

    @Test
    @DisplayName("one permit that is not waited for is granted or refused by the short way alone")
    void shortWayAlone() {
        for (List<Limit> limits : CHANGED) {
            Limit limit = limits.get(0);
            host.flush();
            long granted = 0;
            for (int step = 0; step <= limit.capacity(); step++) {
                long now = ScriptHost.BEGIN + step;
                Answer answer =
                        host.ask(limit, "short", Questions.taking(Wanted.atOnce(1, 1)), "node", now, SHORT_ALONE);
                granted += answer.granted();
            }
            assertThat(granted).as("granted by %s", limit).isBetween(1L, (long) limit.capacity());
        }
    }
}
