package dev.weir.redis;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Translates local take times to the times at which the store recorded them, so that permits given back are undone where they were
 * taken. Exact for the latest takes; for older ones the latest time that is certainly not after the recorded one.
 */
final class Stamps {

    /*
     * Two words for each take: its recorded time, and that XOR its local time. A reader that finds words of two takes, written
     * concurrently, does not get the local time it looks for from them, and falls back to an estimate (R. Hyatt and T. Mann, A
     * lock-less transposition table implementation for parallel search chess engines, 2002). Numbers rather than objects, as there is
     * a take for each decision; a small table at first, as there may be very many keys that are seldom used. Entries written while
     * another thread grows the table may be lost.
     */

    private static final int FIRST = 1;
    private static final int MOST = 64;

    private static final VarHandle ERAS =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(Stamps.class, "eras", Eras.class));

    private volatile AtomicLongArray words = new AtomicLongArray(2 * FIRST);
    private volatile Eras eras;

    /** Creates one for a limit with that period; zero if nothing has to be remembered, as permits do not return with time. */
    Stamps(long periodNanos) {
        this.eras = Eras.of(periodNanos);
    }

    /** Remembers takes from now on for as long as a limit with that period needs, if that is longer than before. */
    void reachBack(long periodNanos, long nowNanos) {
        Eras before;
        do {
            before = eras;
        } while (!ERAS.compareAndSet(this, before, before.reachingBack(periodNanos, nowNanos)));
    }

    void add(long takenNanos, long storeNanos) {
        eras.add(takenNanos, storeNanos);
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
        long before = found(takenNanos, words);
        long earlier = before == 0 ? storeNanos : Math.min(before, storeNanos);
        words.setOpaque(place, earlier);
        words.setRelease(place + 1, earlier ^ takenNanos);
    }

    /**
     * Returns when the store recorded a take, of several at that time the first, or, if that is forgotten, a time that is certainly
     * not later.
     */
    long storeTime(long takenNanos) {
        long found = found(takenNanos, words);
        return found != 0 ? found : eras.notLater(takenNanos);
    }

    /** Returns the recorded time of a take, or zero if the words in its place are of another. */
    private static long found(long takenNanos, AtomicLongArray words) {
        int place = place(takenNanos, words);
        long mixed = words.getAcquire(place + 1);
        long storeNanos = words.getOpaque(place);
        return (mixed ^ storeNanos) == takenNanos ? storeNanos : 0;
    }

    private static int place(long takenNanos, AtomicLongArray words) {
        return 2 * (int) Math.floorMod(takenNanos, (long) words.length() / 2);
    }
}
