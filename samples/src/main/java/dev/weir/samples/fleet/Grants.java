package dev.weir.samples.fleet;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;

/**
 * When permits were granted, combined from the state of an exact window in the store, read at several times.
 *
 * <p>The state is a text: the time of writing, how many permits had been taken before the first entry, another number, and an entry
 * for each time at which permits were taken within the last period: that time and how many had been taken up to it. Numbers have
 * 16 digits, times are in microseconds, and a letter ends an entry.
 */
final class Grants {

    private static final long PERIOD_MICROS = FleetNode.LIMIT.period().toNanos() / 1_000;
    private static final int NUMBER = 16;
    private static final int HEAD = 3 * NUMBER;
    private static final int ENTRY = 2 * NUMBER + 1;

    private final Map<Long, Long> permitsByMicros = new ConcurrentSkipListMap<>();

    /** Adds one state that was read; grants that have been given back in the meantime are removed. */
    void read(String kept) {
        long writtenAt = number(kept, 0);
        permitsByMicros.keySet().removeIf(time -> time > writtenAt - PERIOD_MICROS);
        long before = number(kept, NUMBER);
        for (int entry = HEAD; entry < kept.length(); entry += ENTRY) {
            long sum = number(kept, entry + NUMBER);
            permitsByMicros.put(number(kept, entry), sum - before);
            before = sum;
        }
    }

    private static long number(String kept, int from) {
        return Long.parseLong(kept.substring(from, from + NUMBER));
    }

    /** Returns when each permit was granted, in nanoseconds. */
    LongStream nanos() {
        return permitsByMicros.entrySet().stream()
                .flatMapToLong(entry -> LongStream.range(0, entry.getValue()).map(permit -> entry.getKey() * 1_000));
    }
}
