package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Concurrently;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A ring that many take from looks for its head where a table says, and the table may say anything. */
class SightingsTest {

    private static final Duration PERIOD = Duration.ofNanos(1_000);
    private static final int MOST = 64;
    private static final int CROWD = 32;
    private static final VarHandle MET = met();

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 60);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("a crowded ring answers as one used alone, wherever its search begins")
    void anywhere(int seed) {
        Random random = new Random(seed);
        int permits = 1 + random.nextInt(200);
        GrantLog log =
                new GrantLog(permits, PERIOD.toNanos(), 0, new long[0], permits, Forgotten.NOTHING, GrantLog.NEVER);
        GrantRing alone = new GrantRing(log);
        GrantRing crowded = new GrantRing(log);
        long now = 0;
        for (int step = 0; step < 2_000; step++) {
            int wanted = random.nextInt(4) == 0 ? 1 + random.nextInt(Math.min(permits, 40)) : 1;
            now += random.nextInt(20);
            mislead(crowded, random, permits);
            assertThat(take(crowded, wanted, now))
                    .as("seed %d, step %d", seed, step)
                    .isEqualTo(take(alone, wanted, now));
            mislead(crowded, random, permits);
            assertThat(crowded.available(now)).isEqualTo(alone.available(now));
            mislead(crowded, random, permits);
            assertThat(crowded.nanosUntilOneByOne(wanted, now)).isEqualTo(alone.nanosUntilOneByOne(wanted, now));
        }
        mislead(crowded, random, permits);
        assertThat(times(crowded)).containsExactly(times(alone));
    }

    private static long take(GrantRing ring, int wanted, long now) {
        long answer = wanted == 1 ? ring.tryTakeOne(now) : GrantRing.UNSETTLED;
        return answer == GrantRing.UNSETTLED ? ring.tryTake(wanted, now) : answer;
    }

    @Test
    @DisplayName("a thread finds what it noted, unless that is no place of the ring, or of another ring")
    void noted() {
        Sightings.note(7, 12);
        assertThat(Sightings.latest(7, 13)).isEqualTo(12);
        assertThat(Sightings.latest(7, 12)).isEqualTo(Sightings.NONE);
        assertThat(Sightings.latest(7 + 64, 13)).isEqualTo(Sightings.NONE);
    }

    @Test
    @DisplayName("a ring whose takers have been at others each time is no crowd for long")
    void crowdsEnd() {
        GrantRing ring = new GrantRing(GrantLog.unused(4, PERIOD.toNanos(), 0));
        MET.set(ring, (byte) MOST);
        for (int take = 1; take <= MOST; take++) {
            Sightings.note(1_000, 3);
            Sightings.note(64, 3); // in the place of this ring
            take(ring, 1, take * PERIOD.toNanos());
        }
        assertThat((byte) MET.get(ring)).isLessThanOrEqualTo((byte) CROWD);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 50})
    @DisplayName("a crowd on a clock that goes on is granted what the limit allows, and no more")
    void crowd(int permits) {
        int threads = 4;
        int asked = 100_000;
        int ticks = 2 * permits; // to a period, of which there is one for each request
        GrantRing ring =
                new GrantRing(new GrantLog(permits, ticks, 0, new long[0], permits, Forgotten.NOTHING, GrantLog.NEVER));
        AtomicLong clock = new AtomicLong();
        LongAdder granted = new LongAdder();
        Concurrently.run(threads, thread -> {
            for (int i = 0; i < asked; i++) {
                MET.set(ring, (byte) MOST);
                int wanted = permits > 5 && i % 5 == 0 ? 3 : 1;
                long now = clock.incrementAndGet();
                granted.add(take(ring, wanted, now) == PermitPolicy.TAKEN ? wanted : 0);
            }
        });
        long periods = (long) threads * asked / ticks;
        assertThat(granted.sum()).isBetween(permits * periods / 2, permits * (periods + 1));
        assertThat(times(ring)).isSorted();
    }

    private static void mislead(GrantRing ring, Random random, int slots) {
        MET.set(ring, (byte) MOST);
        Sightings.note(0, random.nextInt(2 * slots));
    }

    private static VarHandle met() {
        try {
            return MethodHandles.privateLookupIn(RingCursor.class, MethodHandles.lookup())
                    .findVarHandle(RingCursor.class, "met", byte.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static long[] times(GrantRing ring) {
        GrantLog[] last = new GrantLog[1];
        ring.next(log -> last[0] = log);
        GrantLog log = last[0];
        return IntStream.range(0, log == null ? 0 : log.size())
                .mapToLong(log::time)
                .toArray();
    }
}
