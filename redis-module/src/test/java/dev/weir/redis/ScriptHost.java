package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.util.SafeEncoder;

/** Runs the scripts on a server by a plain blocking client, at the server's own time or at any. */
final class ScriptHost implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(10);

    /** What the server's clock shows when the time of a test begins, in microseconds. */
    static final long BEGIN = 1_790_000_000_000_000L;

    /** How much longer keys stay if a script runs at the time of a test: the server's own clock, which expires them, goes on. */
    static final long LONGER_MILLIS = 60_000;

    /** How long ago, at most, the server has written what a test looks at. */
    private static final long SINCE_MILLIS = 10_000;

    private static final String CLOCK = "call('TIME')";

    private static final String KEPT = "math.ceil(micros / 1000)";

    /** Takes the time from the end of the arguments, of which the script knows none. */
    private static final String GIVEN = "local given = { table.remove(ARGV, #ARGV - 1), table.remove(ARGV) }\n";

    private final Jedis jedis;

    ScriptHost(String host, int port) {
        this.jedis = new Jedis(host, port, 5_000);
    }

    Jedis jedis() {
        return jedis;
    }

    void flush() {
        jedis.flushAll();
    }

    /** What the server's clock shows at the time of a test. */
    static long micros(TimeSource time) {
        return BEGIN + time.nanoTime() / 1000;
    }

    /** The names of the keys of a limit. */
    static List<String> keys(Limit limit, String tag) {
        return new Keys("weir").of(tag, LimitWords.of(limit, LEASE).members());
    }

    Answer ask(Limit limit, Question question) {
        return ask(limit, "test", question, "node", -1);
    }

    /** Asks as if the server's clock showed a time, in microseconds; negative for its own. */
    Answer ask(Limit limit, String tag, Question question, String node, long atMicros) {
        return ask(limit, tag, question, node, atMicros, UnaryOperator.identity());
    }

    /** The same by a script that was changed. */
    Answer ask(Limit limit, String tag, Question question, String node, long atMicros, UnaryOperator<String> changed) {
        LimitWords words = LimitWords.of(limit, LEASE);
        String text = changed.apply(words.script().text());
        return Answer.of(run(text, keys(limit, tag), List.of(words.arguments(question, node)), atMicros));
    }

    /**
     * Checks that the key of a limit that is kept for longest does not expire before the limit is as good as new, if it was asked at
     * a time of the test's.
     */
    void checkKept(Limit limit, String tag, long fullNanos, String about) {
        long longest = keys(limit, tag).stream().mapToLong(jedis::pttl).max().orElseThrow();
        assertThat(longest)
                .as("milliseconds that %s is kept, which counts for %d ns, %s", limit, fullNanos, about)
                .isGreaterThan(fullNanos / 1_000_000 + LONGER_MILLIS - SINCE_MILLIS);
    }

    /** Runs a script as if the server's clock showed a time, in microseconds; negative for its own. */
    String run(String text, List<String> keys, List<String> arguments, long atMicros) {
        if (!text.contains(CLOCK) || !text.contains(KEPT)) {
            throw new AssertionError("the script reads no clock, or keeps nothing for a time");
        }
        List<String> command = new ArrayList<>();
        command.add(
                atMicros < 0 ? text : GIVEN + text.replace(CLOCK, "given").replace(KEPT, KEPT + " + " + LONGER_MILLIS));
        command.add(Integer.toString(keys.size()));
        command.addAll(keys);
        command.addAll(arguments);
        if (atMicros >= 0) {
            command.add(Long.toString(atMicros / 1_000_000));
            command.add(Long.toString(atMicros % 1_000_000));
        }
        Object reply = jedis.sendCommand(Protocol.Command.EVAL, command.toArray(String[]::new));
        return SafeEncoder.encode((byte[]) reply);
    }

    @Override
    public void close() {
        jedis.close();
    }
}
