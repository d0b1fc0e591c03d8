package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A ring that many take from looks for its head where a table says, and the table may say anything. */
class SightingsTest {

    private static final Duration PERIOD = Duration.ofNanos(1_000);
    private static final int PLACES = 64;

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 60);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("wherever the search begins, every answer is that of a ring that nobody else takes from")
    void anywhere(int seed) throws ReflectiveOperationException {
        Random random = new Random(seed);
        int permits = 1 + random.nextInt(200);
        GrantLog log =
                new GrantLog(permits, PERIOD.toNanos(), 0, new long[0], permits, Forgotten.NOTHING, GrantLog.NEVER);
        GrantRing alone = new GrantRing(log);
        GrantRing crowded = crowded(new GrantRing(log));
        long now = 0;
        for (int step = 0; step < 2_000; step++) {
            int wanted = random.nextInt(4) == 0 ? 1 + random.nextInt(Math.min(permits, 40)) : 1;
            now += random.nextInt(20);
            mislead(random, permits);
            long expected = wanted == 1 ? alone.tryTakeOne(now) : alone.tryTake(wanted, now);
            long answer = wanted == 1 ? crowded.tryTakeOne(now) : crowded.tryTake(wanted, now);
            assertThat(answer).as("seed %d, step %d", seed, step).isEqualTo(expected);
            mislead(random, permits);
            assertThat(crowded.available(now)).isEqualTo(alone.available(now));
            mislead(random, permits);
            assertThat(crowded.nanosUntil(wanted, now)).isEqualTo(alone.nanosUntil(wanted, now));
        }
        mislead(random, permits);
        assertThat(times(crowded)).containsExactly(times(alone));
    }

    @Test
    @DisplayName("a thread finds what it noted, and where that is no place of the ring, what others say")
    void noted() {
        Sightings.note(7, 12);
        assertThat(Sightings.latest(7, 13, 3)).isEqualTo(12);
        assertThat(Sightings.latest(7, 12, 3)).isEqualTo(3);
    }

    private static void mislead(Random random, int slots) {
        for (int place = 0; place < PLACES; place++) {
            Sightings.note(place, random.nextInt(2 * slots));
        }
    }

    /** As if many had met at its head. */
    private static GrantRing crowded(GrantRing ring) throws ReflectiveOperationException {
        VarHandle met = MethodHandles.privateLookupIn(RingCursor.class, MethodHandles.lookup())
                .findVarHandle(RingCursor.class, "met", byte.class);
        met.set(ring, (byte) 64);
        return ring;
    }

    private static long[] times(GrantRing ring) {
        GrantLog log = ring.freeze();
        return IntStream.range(0, log == null ? 0 : log.size())
                .mapToLong(log::time)
                .toArray();
    }
}
