package dev.weir.redis;

import java.util.Comparator;
import java.util.List;

/**
 * A recorded take: permits that the store has recorded as taken at some time.
 *
 * @param permits how many
 * @param atNanos the time on the clock of the store; in the future if they are booked
 * @param part whether they are part of a request whose rest stays taken
 * @param one the permits of each of the requests that they were taken for
 * @param taken whether they are known to be no booking, or one that fell due: if their time is in the future nevertheless, the clock
 *     of the store was set back since
 */
record Slot(int permits, long atNanos, boolean part, int one, boolean taken) {

    /** Returns permits of one request that were in use. */
    static Slot taken(int permits, long atNanos, boolean part) {
        return new Slot(permits, atNanos, part, permits, true);
    }

    /** Returns another number of permits, of one request, that were taken like these. */
    Slot withPermits(int others) {
        return new Slot(others, atNanos, part, others, taken);
    }

    /** Sorts by time, latest first: a bucket can only recognize its latest booking, and once that is undone the one before. */
    static List<Slot> latestFirst(List<Slot> slots) {
        return slots.size() < 2
                ? slots
                : slots.stream()
                        .sorted(Comparator.comparingLong(Slot::atNanos).reversed())
                        .toList();
    }

    /** Returns how many requests they were taken for; the last may be for fewer. */
    long calls() {
        return permits <= one ? 1 : (permits + one - 1L) / one;
    }

    /** Returns whether the two can be merged: to the store, which counts in microseconds, they are like one of the sum. */
    boolean isOneWith(Slot other) {
        return part == other.part
                && taken == other.taken
                && atNanos / 1000 == other.atNanos / 1000
                && permits <= Integer.MAX_VALUE - other.permits;
    }
}
