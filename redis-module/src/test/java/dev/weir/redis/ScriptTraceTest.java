package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.fppt.jedismock.RedisServer;
import dev.weir.limit.FixedWindow;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random trace through the policy of this JVM, through the scripts on Redis, and on a server written in Java: the same
 * decisions, waits and permits. Policies do not know what a unit of time is: here they count microseconds, or a part of one.
 */
@ParameterizedClass
@MethodSource("dev.weir.redis.ServerProgram#present")
class ScriptTraceTest {

    /** The server forgets by its own clock: not within this test. */
    private static final int PERIOD_MICROS = 600_000_000;

    private static final int STEPS = 200;
    private static final int MOCKED_STEPS = 20;

    /** The earliest of how many takes comes back. */
    private static final int MOST_STEPS = 4;

    @Parameter
    ServerProgram program;

    private static ServerProcess redis;
    private static RedisServer mock;
    private static ScriptHost onRedis;
    private static ScriptHost onMock;

    /** The server written in Java is slow: it sees the beginning of one trace of each kind. */
    private boolean withMock;

    private record Taken(int permits, long at) {}

    /** How many units of the policy make a microsecond. */
    private int units;

    /** Of how many microseconds all times are a multiple. */
    private int stepMicros = 1;

    /** What was taken and not given back, in order. */
    private final List<Taken> taken = new ArrayList<>();

    /** Limits by a period in whatever unit. */
    private static final Map<String, Function<Duration, Limit>> LIMITS = Map.of(
            "exact", period -> Limit.of(5, period),
            "exact of one", period -> Limit.of(1, period),
            "segments", period -> Limit.slidingWindow(7, period, 4),
            "token bucket", period -> Limit.tokenBucket(6, 7, period),
            "part full", period -> Limit.tokenBucket(6, 3, period).startingWith(2),
            "in steps", period -> Limit.tokenBucket(6, 2, period).refillingInSteps(),
            "leaky", period -> Limit.leakyBucket(7, period),
            "leaky with slack", period -> Limit.leakyBucket(7, period).withSlack(3),
            "fixed", period -> Limit.fixedWindow(5, period),
            "counter", period -> Limit.slidingWindowCounter(9, period));

    @BeforeParameterizedClassInvocation
    static void start(ServerProgram program) throws IOException {
        redis = ServerProcess.start(program);
        mock = RedisServer.newRedisServer().start();
        onRedis = new ScriptHost("127.0.0.1", redis.port());
        onMock = new ScriptHost(mock.getHost(), mock.getBindPort());
    }

    @AfterParameterizedClassInvocation
    static void stop() throws IOException {
        onRedis.close();
        onMock.close();
        mock.stop();
        redis.close();
    }

    @Test
    @DisplayName("takes, refusals, waits and what is available are the same everywhere")
    void sameDecisions() {
        LIMITS.forEach((name, limit) -> {
            for (long seed = 1; seed <= 3; seed++) {
                run(name, limit, seed, false);
            }
        });
    }

    @Test
    @DisplayName("a policy and a script decide the same with charges and returns, at once or later")
    void sameWithCharges() {
        LIMITS.forEach((name, limit) -> {
            for (long seed = 1; seed <= 3; seed++) {
                run(name, limit, seed, true);
            }
        });
    }

    @Test
    @DisplayName("windows on multiples of their length are those of the server's clock")
    void sameOnMultiples() {
        for (long seed = 1; seed <= 3; seed++) {
            run("aligned", period -> new FixedWindow(5, period).aligned(), seed, true);
        }
    }

    @Test
    @DisplayName("buckets whose period is no whole number of microseconds refill at the same pace everywhere")
    void sameWithPartsOfMicroseconds() {
        for (String name : List.of("token bucket", "part full", "leaky", "leaky with slack")) {
            for (int more : new int[] {500, 7}) {
                run(name, LIMITS.get(name), PERIOD_MICROS * 1000L + more, 1000, 1 + more, true);
            }
        }
    }

    @Test
    @DisplayName("all that is taken, charged and given back at the edges of windows counts in the same one everywhere")
    void sameAtEdges() {
        stepMicros = PERIOD_MICROS / 4;
        for (String name : List.of("fixed", "counter", "in steps")) {
            for (long seed = 1; seed <= 3; seed++) {
                run(name, LIMITS.get(name), seed, true);
            }
        }
    }

    private void run(String name, Function<Duration, Limit> limits, long seed, boolean charging) {
        run(name, limits, PERIOD_MICROS * 1000L, 1, seed, charging);
    }

    /** The policy counts so many units in each microsecond. */
    private void run(
            String name, Function<Duration, Limit> limits, long periodNanos, int units, long seed, boolean charging) {
        this.units = units;
        Limit onStore = limits.apply(Duration.ofNanos(periodNanos));
        PermitPolicy policy =
                limits.apply(Duration.ofNanos(periodNanos * units / 1000)).newPolicy(units * ScriptHost.BEGIN);
        Random random = new Random(seed);
        onRedis.flush();
        onMock.flush();
        taken.clear();
        List<String> trace = new ArrayList<>();
        long now = ScriptHost.BEGIN;
        for (int step = 0; step < STEPS; step++) {
            withMock = seed == 1 && step < MOCKED_STEPS;
            String did = step(policy, onStore, random, now, charging, name + " seed " + seed + " step " + step + trace);
            trace.add("\n  at +" + (now - ScriptHost.BEGIN) + " " + did);
            int later = random.nextInt(4) == 0 ? random.nextInt(PERIOD_MICROS) : random.nextInt(PERIOD_MICROS / 10);
            now += later - later % stepMicros;
        }
    }

    private String step(PermitPolicy policy, Limit limit, Random random, long now, boolean charging, String about) {
        int permits = 1 + random.nextInt(policy.capacity());
        int what = random.nextInt(charging ? 10 : 8);
        if (what == 9) {
            int charged = 1 + random.nextInt(2 * policy.capacity());
            policy.charge(charged, units * now);
            check(limit, Questions.charge(charged), now, policy, 0, 0, about);
            return "charged " + charged;
        }
        long wait = policy.tryTake(permits, units * now);
        int granted = wait == PermitPolicy.TAKEN ? permits : 0;
        check(limit, Questions.take(permits), now, policy, granted, wait, about + " take " + permits);
        if (granted > 0) {
            taken.add(new Taken(permits, now));
        }
        String did = (granted > 0 ? "took " : "did not get ") + permits;
        if (what == 8 && !taken.isEmpty()) {
            Taken back = taken.remove(Math.max(0, taken.size() - 1 - random.nextInt(MOST_STEPS)));
            policy.giveBack(back.permits, units * back.at, units * now);
            check(
                    limit,
                    Questions.undo(Slot.taken(back.permits, back.at * 1000, false)),
                    now,
                    policy,
                    0,
                    0,
                    about + " " + did + ", undo " + back);
            return did + " and gave back " + back;
        }
        return did;
    }

    private void check(
            Limit limit, Question question, long now, PermitPolicy policy, long granted, long wait, String about) {
        for (ScriptHost host : withMock ? List.of(onRedis, onMock) : List.of(onRedis)) {
            Answer answer = host.ask(limit, "test", question, "node", now);
            String where = about + (host == onRedis ? " on Redis" : " on the mock") + ": " + answer;
            assertThat(answer.granted()).as(where).isEqualTo(granted);
            assertThat(answer.waitNanos()).as("wait, " + where).isEqualTo(nanos(wait));
            assertThat(answer.available()).as("available, " + where).isEqualTo(policy.available(units * now));
            assertThat(answer.fullNanos()).as("full, " + where).isEqualTo(nanos(policy.nanosUntilFull(units * now)));
            boolean hasWritten = granted > 0
                    || question.mostCharged() > 0
                    || !question.undone().isEmpty();
            if (hasWritten && answer.fullNanos() > 0) {
                host.checkKept(limit, "test", answer.fullNanos(), where);
            }
        }
    }

    /** A time of the policy, as the server tells it: in whole microseconds, rounded up. */
    private long nanos(long ofPolicy) {
        return (ofPolicy + units - 1) / units * 1000;
    }
}
