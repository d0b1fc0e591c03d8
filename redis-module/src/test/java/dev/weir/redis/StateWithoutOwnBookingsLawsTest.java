package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two nodes book of a bucket, and one is told how it stands without its bookings: never better than by what the other has. */
class StateWithoutOwnBookingsLawsTest extends ScriptsOnAServer {

    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final long PERIOD_MICROS = PERIOD.toNanos() / 1000;
    private static final int STEPS = 25;
    private static final int SEEDS = 40;

    /** How many permits each fills with in a period. */
    private static final Map<Limit, Integer> BUCKETS = Map.of(
            Limit.tokenBucket(4, 4, PERIOD), 4,
            Limit.tokenBucket(1, 7, PERIOD), 7,
            Limit.leakyBucket(4, PERIOD), 4,
            Limit.leakyBucket(4, PERIOD).withSlack(3), 4,
            Limit.leakyBucket(7, PERIOD).withSlack(3), 7);

    private record Taken(int permits, long atMicros) {}

    private final List<Slot> own = new ArrayList<>();

    /** What the other has taken and booked, and what of the node's own is no booking any more. */
    private final List<Taken> rest = new ArrayList<>();

    @Test
    @DisplayName(
            "a bucket without what a node has booked is full no sooner than the rest allows, in whatever order they booked")
    void neverTooEarly() {
        BUCKETS.forEach((limit, rate) -> {
            for (long seed = 1; seed <= SEEDS; seed++) {
                play(limit, rate, new Random(seed), limit + ", seed " + seed);
            }
        });
    }

    private void play(Limit limit, int rate, Random random, String about) {
        host.flush();
        own.clear();
        rest.clear();
        long now = BEGIN;
        for (int step = 0; step < STEPS; step++) {
            step(limit, random, now);
            settle(now);
            long told = ask(limit, Questions.seeing(own), now).fullNanos() / 1000;
            assertThat(told)
                    .as("%s, step %d: %s beside %s", about, step, own, rest)
                    .isGreaterThanOrEqualTo((unitsUntilFull(rate) - (now - BEGIN) * rate) / rate);
            now += random.nextInt((int) (PERIOD_MICROS / 8));
        }
    }

    private void step(Limit limit, Random random, long now) {
        int one = 1 + random.nextInt(Math.min(3, limit.capacity()));
        boolean isOwn = random.nextBoolean();
        if (isOwn && !own.isEmpty() && random.nextInt(4) == 0) {
            ask(limit, Questions.undo(own.remove(random.nextInt(own.size()))), now);
            return;
        }
        Answer answer = random.nextInt(3) == 0
                ? ask(limit, Questions.take(one), now)
                : ask(limit, Questions.book(one, 1 + random.nextInt(3), PERIOD.toNanos()), now);
        rest.add(new Taken((int) answer.granted(), now));
        for (Answer.Booking each : answer.bookings()) {
            long due = answer.nowNanos() + each.inNanos();
            if (isOwn) {
                own.add(new Slot(each.permits(), due, false, one, false));
            } else {
                rest.add(new Taken(each.permits(), due / 1000));
            }
        }
    }

    /** What is due is no booking any more. */
    private void settle(long now) {
        own.stream()
                .filter(slot -> slot.atNanos() / 1000 <= now)
                .forEach(slot -> rest.add(new Taken(slot.permits(), slot.atNanos() / 1000)));
        own.removeIf(slot -> slot.atNanos() / 1000 <= now);
        own.sort(Comparator.comparingLong(Slot::atNanos));
    }

    /** When a bucket that gave the rest would be full, counted from the beginning: a microsecond has as many units as the rate. */
    private long unitsUntilFull(int rate) {
        rest.sort(Comparator.comparingLong(Taken::atMicros));
        long full = 0;
        for (Taken each : rest) {
            full = Math.max(full, (each.atMicros - BEGIN) * rate) + each.permits * PERIOD_MICROS;
        }
        return full;
    }
}
