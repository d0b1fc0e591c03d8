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
     * a take for each decision; few places at first, as there may be very many keys that are seldom asked for. What is written while
     * others make more places may be forgotten.
     */

    private static final int FIRST = 4;
    private static final int MOST = 64;
    private static final long MARGIN_NANOS = 1_000_000_000;

    private volatile AtomicLongArray words = new AtomicLongArray(2 * FIRST);

    void add(long takenNanos, long storeNanos) {
        AtomicLongArray there = words;
        while (there.length() < 2 * MOST && there.getOpaque(place(takenNanos, there)) != 0) {
            there = twiceAsMany(there);
            words = there;
        }
        put(takenNanos, storeNanos, there);
    }

    private static AtomicLongArray twiceAsMany(AtomicLongArray words) {
        AtomicLongArray more = new AtomicLongArray(2 * words.length());
        for (int place = 0; place < words.length(); place += 2) {
            long storeNanos = words.getOpaque(place);
            if (storeNanos != 0) {
                put(words.getAcquire(place + 1) ^ storeNanos, storeNanos, more);
            }
        }
        return more;
    }

    private static void put(long takenNanos, long storeNanos, AtomicLongArray words) {
        int place = place(takenNanos, words);
        words.setOpaque(place, storeNanos);
        words.setRelease(place + 1, storeNanos ^ takenNanos);
    }

    /** Returns when the store recorded it, or, where that is forgotten, a time that is surely not later. */
    long storeTime(long takenNanos, Knowledge known) {
        AtomicLongArray there = words;
        int place = place(takenNanos, there);
        long mixed = there.getAcquire(place + 1);
        long storeNanos = there.getOpaque(place);
        return storeNanos != 0 && (mixed ^ storeNanos) == takenNanos
                ? storeNanos
                : Math.max(0, known.storeTime(takenNanos) - MARGIN_NANOS);
    }

    private static int place(long takenNanos, AtomicLongArray words) {
        return 2 * (int) Math.floorMod(takenNanos, (long) words.length() / 2);
    }
}
