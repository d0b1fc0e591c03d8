package dev.weir.redis;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

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
     *
     * For all takes of an era (a span of local time) two bounds are kept: the recorded time of the first, and the most by which the
     * local clock was ahead of that of the store at a take. None was recorded before either of the two bounds. The first bound is
     * sharp when a window begins with the era, the second at any other time, up to the variation of the round-trip time. The era of
     * a take depends on its time alone, and bounds only ever widen; so they cover every take by the time it is looked up.
     */

    private static final int FIRST = 1;
    private static final int MOST = 64;

    /** This many eras reach back two periods, after which no take matters to any limit. */
    private static final int MOST_ERAS = 5;

    private static final int SHORTEST_ERA = 27;

    private static final VarHandle ERAS;

    static {
        try {
            ERAS = MethodHandles.lookup().findVarHandle(Stamps.class, "eras", Era.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int eraBits;
    private volatile AtomicLongArray words = new AtomicLongArray(2 * FIRST);
    private volatile @Nullable Era eras;

    /** Creates one for a limit with that period; zero if nothing has to be remembered, as permits do not return with time. */
    Stamps(long periodNanos) {
        this.eraBits = periodNanos <= 0
                ? Long.SIZE - 2
                : Math.max(SHORTEST_ERA, Long.SIZE - 1 - Long.numberOfLeadingZeros(periodNanos));
    }

    void add(long takenNanos, long storeNanos) {
        addToEra(takenNanos, storeNanos);
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

    /** Returns when the store recorded a take, or, if that is forgotten, a time that is certainly not later. */
    long storeTime(long takenNanos) {
        AtomicLongArray there = words;
        int place = place(takenNanos, there);
        long mixed = there.getAcquire(place + 1);
        long storeNanos = there.getOpaque(place);
        return storeNanos != 0 && (mixed ^ storeNanos) == takenNanos ? storeNanos : notLater(takenNanos);
    }

    private long notLater(long takenNanos) {
        Era era = find(eras, begin(takenNanos));
        return era == null ? 0 : Math.max(era.firstNanos, takenNanos - era.aheadNanos);
    }

    private void addToEra(long takenNanos, long storeNanos) {
        long begin = begin(takenNanos);
        while (true) {
            Era latest = eras;
            Era there = find(latest, begin);
            if (there != null) {
                there.include(takenNanos, storeNanos);
                return;
            }
            if (latest != null && begin - latest.beginNanos < 0) {
                return; // so old that it is forgotten
            }
            if (ERAS.compareAndSet(this, latest, new Era(begin, takenNanos, storeNanos, latest))) {
                forgetAllBut(MOST_ERAS);
                return;
            }
        }
    }

    private long begin(long takenNanos) {
        return takenNanos >> eraBits << eraBits;
    }

    private static @Nullable Era find(@Nullable Era latest, long begin) {
        Era era = latest;
        while (era != null && era.beginNanos != begin) {
            era = era.before;
        }
        return era;
    }

    private void forgetAllBut(int most) {
        Era era = eras;
        for (int i = 1; era != null && i < most; i++) {
            era = era.before;
        }
        if (era != null) {
            era.before = null;
        }
    }

    /** Bounds of all takes within a span of time. */
    private static final class Era {

        private static final VarHandle FIRST_NANOS;
        private static final VarHandle AHEAD_NANOS;

        static {
            try {
                FIRST_NANOS = MethodHandles.lookup().findVarHandle(Era.class, "firstNanos", long.class);
                AHEAD_NANOS = MethodHandles.lookup().findVarHandle(Era.class, "aheadNanos", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final long beginNanos;
        private volatile long firstNanos;
        private volatile long aheadNanos;
        private volatile @Nullable Era before;

        Era(long beginNanos, long takenNanos, long storeNanos, @Nullable Era before) {
            this.beginNanos = beginNanos;
            this.firstNanos = storeNanos;
            this.aheadNanos = takenNanos - storeNanos;
            this.before = before;
        }

        void include(long takenNanos, long storeNanos) {
            long first = firstNanos;
            while (storeNanos < first && !FIRST_NANOS.compareAndSet(this, first, storeNanos)) {
                first = firstNanos;
            }
            long ahead = takenNanos - storeNanos;
            long most = aheadNanos;
            while (ahead - most > 0 && !AHEAD_NANOS.compareAndSet(this, most, ahead)) {
                most = aheadNanos;
            }
        }
    }

    private static int place(long takenNanos, AtomicLongArray words) {
        return 2 * (int) Math.floorMod(takenNanos, (long) words.length() / 2);
    }
}
