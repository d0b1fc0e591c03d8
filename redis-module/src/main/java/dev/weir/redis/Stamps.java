package dev.weir.redis;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When the store recorded what was taken here at some time, for the latest takes; so that what comes back goes to where it came from.
 */
final class Stamps {

    /*
     * Two words for each take: when it was recorded, and that mixed with when it was taken. Who finds words of two takes, as several
     * write at the same time, does not get from them the time that it looks for, and goes by an estimate (R. Hyatt and T. Mann, A
     * lock-less transposition table implementation for parallel search chess engines, 2002). Numbers rather than objects, as there is
     * a take for each decision.
     */

    private static final int LATEST = 64;
    private static final long MARGIN_NANOS = 1_000_000_000;

    private final AtomicLongArray words = new AtomicLongArray(2 * LATEST);

    void add(long takenNanos, long storeNanos) {
        int place = place(takenNanos);
        words.setOpaque(place, storeNanos);
        words.setRelease(place + 1, storeNanos ^ takenNanos);
    }

    /** Returns when the store recorded it, or, where that is forgotten, a time that is surely not later. */
    long storeTime(long takenNanos, Knowledge known) {
        int place = place(takenNanos);
        long mixed = words.getAcquire(place + 1);
        long storeNanos = words.getOpaque(place);
        return storeNanos != 0 && (mixed ^ storeNanos) == takenNanos
                ? storeNanos
                : Math.max(0, known.storeTime(takenNanos) - MARGIN_NANOS);
    }

    private static int place(long takenNanos) {
        return 2 * (int) Math.floorMod(takenNanos, (long) LATEST);
    }
}
