package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Numbers that are nearly too large for a script to count with, more bookings than it keeps apart, what is undone at the edges of
 * segments, and foreign keys.
 */
class ScriptEdgesTest extends ScriptsOnAServer {

    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final long PERIOD_MICROS = PERIOD.toNanos() / 1000;
    private static final long EXACT = 1L << 53;

    /** How many times of bookings a window keeps apart. */
    private static final int KEPT_APART = 64;

    @Test
    @DisplayName("a counter of as many permits as there are numbers weighs and waits to the permit and the microsecond")
    void countersOfManyPermits() {
        for (Duration length : List.of(Duration.ofDays(1), Duration.ofDays(365), Duration.ofDays(9_000))) {
            long micros = length.toNanos() / 1000;
            Limit limit = Limit.slidingWindowCounter(Integer.MAX_VALUE, length);
            for (long seed = 1; seed <= 40; seed++) {
                host.flush();
                // Policies do not know what a unit of time is: this one counts microseconds.
                PermitPolicy policy = Limit.slidingWindowCounter(Integer.MAX_VALUE, Duration.ofNanos(micros))
                        .newPolicy(BEGIN);
                Random random = new Random(seed);
                long now = BEGIN;
                for (int step = 0; step < 25; step++) {
                    int permits = random.nextBoolean() ? 1 + random.nextInt(3) : 1 + random.nextInt(Integer.MAX_VALUE);
                    long wait = policy.tryTake(permits, now);
                    Answer answer = ask(limit, Questions.take(permits), now);
                    assertThat(answer.waitNanos())
                            .as("%s seed %d step %d", limit, seed, step)
                            .isEqualTo(wait * 1000);
                    assertThat(answer.available())
                            .as("%s seed %d step %d", limit, seed, step)
                            .isEqualTo(policy.available(now));
                    now += wait > 0 && random.nextBoolean() ? wait : (long) (random.nextDouble() * micros / 4);
                }
            }
        }
    }

    @Test
    @DisplayName(
            "a bucket whose period is no whole number of microseconds brings as much in a second as it does in one JVM")
    void ratesOfShortPeriods() {
        int many = 1_000_000;
        for (Limit limit : List.of(
                Limit.tokenBucket(many, 1, Duration.ofNanos(100)),
                Limit.tokenBucket(many, 1, Duration.ofSeconds(1).dividedBy(700_000)),
                Limit.tokenBucket(many, 3, Duration.ofNanos(4_001)),
                Limit.tokenBucket(many, 999_983, Duration.ofNanos(1_000_003)),
                Limit.leakyBucket(many, Duration.ofNanos(1_500_000_007)),
                Limit.leakyBucket(many, Duration.ofNanos(333_333_333)).withSlack(many))) {
            host.flush();
            PermitPolicy policy = limit.newPolicy(0);
            long wait = policy.tryTake(many, 0);
            assertThat(ask(limit, Questions.take(many), BEGIN).granted())
                    .as("%s", limit)
                    .isEqualTo(many);
            while (wait == PermitPolicy.TAKEN) {
                wait = policy.tryTake(many, 0);
                Answer answer = ask(limit, Questions.take(many), BEGIN);
                assertThat(answer.waitNanos()).as("%s", limit).isBetween(wait, wait + wait / 1_000 + 1_000);
            }
        }
    }

    @Test
    @DisplayName(
            "a bucket of one permit loses nothing by waits that are rounded up to a microsecond, whichever way it goes")
    void singlePermits() {
        int permits = 140;
        for (Limit limit : List.of(Limit.tokenBucket(1, 7, PERIOD), Limit.leakyBucket(7, PERIOD))) {
            for (Limit asked :
                    List.of(limit, limit.countingCalls(), Limit.allOf(limit, Limit.of(permits + 1, PERIOD)))) {
                host.flush();
                long now = BEGIN;
                for (int taken = 0; taken <= permits; taken++) {
                    assertThat(ask(asked, Questions.take(1), now).granted())
                            .as("%s, at %d", asked, now)
                            .isEqualTo(1);
                    now += ask(asked, Questions.take(1), now).waitNanos() / 1_000;
                }
                assertThat(now - BEGIN).as("%s", asked).isEqualTo((permits + 1) * PERIOD_MICROS / 7 + 1);
            }
        }
    }

    @Test
    @DisplayName("bookings of a bucket reach as far ahead as the numbers of its permits allow, whatever its period")
    void reachOfShortPeriods() {
        Limit limit =
                Limit.tokenBucket(1_000_000, 100_000_000, Duration.ofSeconds(1).dividedBy(7));
        assertThat(ask(limit, Questions.take(1_000_000), BEGIN).granted()).isEqualTo(1_000_000);
        Answer owed = ask(limit, Questions.charge(Integer.MAX_VALUE), BEGIN);
        assertThat(Duration.ofNanos(owed.fullNanos())).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4));
    }

    @Test
    @DisplayName("debt of a bucket is counted, whatever its period")
    void debtOfLongPeriods() {
        Duration period = Duration.ofDays(1).dividedBy(7);
        for (int many : List.of(1_000, 1_000_000)) {
            Limit limit = Limit.tokenBucket(many, many, period);
            assertThat(ask(limit, Questions.take(many), BEGIN).granted()).isEqualTo(many);
            Answer owed = ask(limit, Questions.charge(5 * many), BEGIN);
            assertThat(owed.available()).isEqualTo(-5L * many);
            assertThat(Duration.ofNanos(owed.fullNanos()))
                    .isBetween(period.multipliedBy(6), period.multipliedBy(6).plusSeconds(1));
            host.flush();
        }
    }

    @Test
    @DisplayName("an exact window counts on exactly, however many permits it has given since it was last idle")
    void moreThanCanBeCounted() {
        Limit limit = Limit.of(5, PERIOD);
        String key = ScriptHost.keys(limit, "test").get(0);
        String state = "%016d%016d%016d%016d%016d ".formatted(BEGIN, EXACT - 2, BEGIN, BEGIN, EXACT - 1);
        host.jedis().psetex(key, PERIOD.toMillis(), state);
        int taken = 0;
        while (taken < 10 && ask(limit, Questions.take(1), BEGIN + 1 + taken).granted() > 0) {
            taken++;
        }
        assertThat(taken).isEqualTo(4);
    }

    @Test
    @DisplayName("the error of a key of a foreign type tells that no key was written")
    void foreignKey() {
        Limit limit = Limit.allOf(Limit.of(5, PERIOD), Limit.fixedWindow(5, PERIOD));
        List<String> keys = ScriptHost.keys(limit, "test");
        host.jedis().lpush(keys.get(1), "foreign");
        host.jedis().pexpire(keys.get(1), PERIOD.toMillis());
        Question charge = Questions.charge(3).writing();
        for (boolean isInBatch : List.of(false, true)) {
            assertThat(Symptoms.hasDoneNothing(new RedisCommandExecutionException(errorOf(limit, charge, isInBatch))))
                    .as("in a batch: %s", isInBatch)
                    .isTrue();
            assertThat(host.jedis().exists(keys.get(0))).isFalse();
        }
    }

    private static String errorOf(Limit limit, Question question, boolean isInBatch) {
        LimitWords words = LimitWords.of(limit, ScriptHost.LEASE);
        List<String> arguments = new ArrayList<>(isInBatch ? List.of("", "1") : List.of());
        arguments.addAll(List.of(words.arguments(question, "node")));
        try {
            String line = host.run(words.script().text(), ScriptHost.keys(limit, "test"), arguments, BEGIN);
            assertThat(line).startsWith("-");
            return line.substring(1);
        } catch (JedisDataException error) {
            return error.getMessage();
        }
    }

    private static List<Limit> windowsOfOne() {
        return List.of(
                Limit.fixedWindow(1, PERIOD),
                Limit.fixedWindow(1, PERIOD).aligned(),
                Limit.slidingWindowCounter(1, PERIOD),
                Limit.tokenBucket(1, 1, PERIOD).refillingInSteps());
    }

    /** Books more than a window keeps apart, once its permit is taken. */
    private static List<Slot> bookMany(Limit limit) {
        List<Slot> booked = new ArrayList<>();
        for (int node = 0; node < 3; node++) {
            booked.addAll(booked(limit, 100));
        }
        assertThat(booked)
                .as("as many as %d and more are remembered", KEPT_APART)
                .hasSizeGreaterThan(2 * KEPT_APART);
        return booked;
    }

    private static List<Slot> booked(Limit limit, int requests) {
        return ask(limit, Questions.book(1, requests, PERIOD.toNanos() * 1_000), BEGIN).bookings().stream()
                .map(each -> Questions.booked(each.permits(), BEGIN * 1_000 + each.inNanos()))
                .toList();
    }

    @Test
    @DisplayName("as many bookings as a window keeps apart leave no trace when undone, also behind others")
    void asManyBookingsAsAreKept() {
        for (Limit limit : windowsOfOne()) {
            host.flush();
            assertThat(ask(limit, Questions.take(1), BEGIN).granted()).isOne();
            Answer before = ask(limit, Questions.look(), BEGIN);
            List<Slot> first = booked(limit, KEPT_APART);
            assertThat(first).hasSize(KEPT_APART);
            assertThat(ask(limit, Questions.undo(first), BEGIN)).as("%s", limit).isEqualTo(before);
            List<Slot> all = bookMany(limit);
            List<Slot> latest = all.subList(all.size() - KEPT_APART, all.size());
            ask(limit, Questions.undo(latest), BEGIN);
            assertThat(booked(limit, 1)).as("%s", limit).containsExactly(latest.get(0));
        }
    }

    @Test
    @DisplayName("more bookings than a window keeps apart are in order, and undone in number if no longer in time")
    void moreBookingsThanAreKept() {
        for (Limit limit : windowsOfOne()) {
            host.flush();
            assertThat(ask(limit, Questions.take(1), BEGIN).granted()).isOne();
            List<Slot> booked = bookMany(limit);
            for (int i = 1; i < booked.size(); i++) {
                assertThat(booked.get(i).atNanos() - booked.get(i - 1).atNanos())
                        .isEqualTo(PERIOD.toNanos());
            }
            Slot noLongerApart = booked.get(booked.size() - KEPT_APART - 1);
            Answer left = ask(limit, Questions.undo(booked), BEGIN);
            long wait = noLongerApart.atNanos() - BEGIN * 1_000;
            host.checkKept(limit, "test", Math.max(wait, left.fullNanos()), "after " + left);
            assertThat(left.fullNanos()).as("%s", limit).isLessThanOrEqualTo(wait + 2 * PERIOD.toNanos());
            assertThat(booked(limit, 1))
                    .as("%s, at the time of the latest that was no longer kept apart, as the time stays taken", limit)
                    .containsExactly(noLongerApart);
        }
    }

    @Test
    @DisplayName("a take given back leaves earlier takes where they were")
    void givenBackWhole() {
        for (Limit limit : List.of(Limit.slidingWindow(4_000, PERIOD, 4), Limit.of(4_000, PERIOD))) {
            host.flush();
            long later = BEGIN + PERIOD_MICROS * 9 / 10;
            assertThat(ask(limit, Questions.take(3_000), BEGIN).granted()).isEqualTo(3_000);
            assertThat(ask(limit, Questions.take(1_000), later).granted()).isEqualTo(1_000);
            ask(limit, Questions.undo(Questions.booked(1_000, later * 1000)), later + 1);
            assertThat(ask(limit, Questions.take(1_000), later + 2).granted()).isEqualTo(1_000);
            assertThat(ask(limit, Questions.look(), BEGIN + PERIOD_MICROS).available())
                    .as("%s", limit)
                    .isEqualTo(3_000);
        }
    }
}
