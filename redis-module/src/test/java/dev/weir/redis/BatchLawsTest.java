package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limit.Limit;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A batch answers what its calls would one after the other at the same time, and so do those that follow it. */
class BatchLawsTest extends ScriptsOnAServer {

    private static final int PERIOD_MICROS = 600_000_000; // the server forgets by its own clock: not within this test
    private static final Duration PERIOD = Duration.ofNanos(PERIOD_MICROS * 1000L);
    private static final int MOST = 32;
    private static final int KEYS = 6;
    private static final int STEPS = 40;

    private static final List<Limit> LIMITS = List.of(
            Limit.of(5, PERIOD),
            Limit.slidingWindow(40, PERIOD, 4),
            Limit.tokenBucket(20, 7, PERIOD),
            Limit.leakyBucket(7, PERIOD).withSlack(3),
            Limit.fixedWindow(5, PERIOD),
            Limit.slidingWindowCounter(5, PERIOD),
            Limit.concurrency(5),
            Limit.allOf(Limit.of(9, PERIOD), Limit.tokenBucket(4, 4, PERIOD).countingCalls()));

    @Test
    @DisplayName("a batch gives the answers of single calls, whatever is asked of whichever keys")
    void asOneByOne() {
        for (Limit limit : LIMITS) {
            for (long seed = 1; seed <= 3; seed++) {
                host.flush();
                play(limit, new Random(seed), limit + ", seed " + seed);
            }
        }
    }

    private static void play(Limit limit, Random random, String about) {
        long now = BEGIN;
        for (int step = 0; step < STEPS; step++) {
            List<Integer> asked = IntStream.range(0, 2 + random.nextInt(MOST - 1))
                    .mapToObj(call -> random.nextInt(KEYS)) // some are asked twice
                    .toList();
            long time = now;
            List<Question> questions = asked.stream()
                    .map(key -> Questions.any(limit, PERIOD, random, time))
                    .toList();
            List<Answer> expected = new ArrayList<>();
            for (int call = 0; call < asked.size(); call++) {
                expected.add(host.ask(limit, "alone " + asked.get(call), questions.get(call), "node", now));
            }
            List<ScriptCall> calls = new ArrayList<>();
            for (int call = 0; call < asked.size(); call++) {
                calls.add(call(limit, "batch " + asked.get(call), questions.get(call)));
            }
            run(calls, now);
            assertThat(calls.stream().map(call -> Answer.of(call.join())))
                    .as("%s, step %s: %s of %s", about, step, questions, asked)
                    .isEqualTo(expected);
            now += random.nextInt(8) == 0 ? -random.nextInt(1_000) : random.nextInt(PERIOD_MICROS / 20);
        }
    }

    private static ScriptCall call(Limit limit, String tag, Question question) {
        LimitWords words = LimitWords.of(limit, ScriptHost.LEASE);
        String[] keys = new Keys("weir").of(tag, words.members()).toArray(String[]::new);
        return new ScriptCall(
                new OnceCommand(CommandType.EVAL, words.script().text(), keys, words.arguments(question, "node")));
    }

    /** Runs what those calls make, and has them answered. */
    private static void run(List<ScriptCall> calls, long now) {
        for (ScriptCall command : Batch.of(calls, MOST, BatchLawsTest::neverApart)) {
            OnceCommand sent = command.command;
            command.complete(host.run(sent.script, List.of(sent.keys), List.of(sent.arguments), now));
        }
    }

    private static void neverApart(List<ScriptCall> calls) {
        throw new AssertionError("nothing was refused of " + calls);
    }

    @Test
    @DisplayName("a call of a batch that fails is told so as if it were alone; the others succeed")
    void oneOfThemFails() {
        Limit limit = Limit.of(5, PERIOD);
        host.jedis().rpush("weir:v1:{b}:log", "not what a limit is kept in");
        host.jedis().expire("weir:v1:{b}:log", 600L);
        List<ScriptCall> calls = Stream.of("a", "b", "c")
                .map(tag -> call(limit, tag, Questions.take(2)))
                .toList();
        run(calls, BEGIN);
        assertThat(Answer.of(calls.get(0).join()).granted()).isEqualTo(2);
        assertThat(Answer.of(calls.get(2).join()).granted()).isEqualTo(2);
        assertThatThrownBy(() -> calls.get(1).join())
                .hasCauseInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThat(host.jedis().get("weir:v1:{a}:log"))
                .isNotNull()
                .isEqualTo(host.jedis().get("weir:v1:{c}:log"));
    }
}
