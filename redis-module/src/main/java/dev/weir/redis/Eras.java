package dev.weir.redis;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** Bounds for the times at which the store recorded takes, by eras: spans of local time as long as the limit's period, or nearly. */
final class Eras {

    /*
     * For all takes of an era (a span of local time) two bounds are kept: the recorded time of the first, and the most by which the
     * local clock was ahead of that of the store at a take. None was recorded before either of the two bounds. The first bound is
     * sharp when a window begins with the era, the second at any other time, up to the variation of the round-trip time. The era of
     * a take depends on its time alone, and bounds only ever widen; so they cover every take by the time it is looked up.
     *
     * A longer period needs longer eras: from a time on takes go to those, and where a thread has not seen the change, still to the
     * shorter ones; so a take of after that time is covered by the earlier of both bounds.
     */

    /** This many eras reach back two periods, after which no take matters to any limit. */
    private static final int MOST = 5;

    private static final int SHORTEST = 27;

    private static final VarHandle LATEST =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(Eras.class, "latest", Era.class));

    private final int bits;

    /** Those of before, of a shorter period. */
    private final @Nullable Eras shorter;

    private final long sinceNanos;
    private volatile @Nullable Era latest;

    private Eras(int bits, @Nullable Eras shorter, long sinceNanos) {
        this.bits = bits;
        this.shorter = shorter;
        this.sinceNanos = sinceNanos;
    }

    /** Creates some for a limit with that period; zero if nothing has to be remembered, as permits do not return with time. */
    static Eras of(long periodNanos) {
        return new Eras(bits(periodNanos), null, 0);
    }

    /** Returns some that know as much as these, and for takes from now on reach back far enough for that period. */
    Eras reachingBack(long periodNanos, long nowNanos) {
        int more = bits(periodNanos);
        return more <= bits ? this : new Eras(more, this, nowNanos);
    }

    private static int bits(long periodNanos) {
        return periodNanos <= 0
                ? Long.SIZE - 2
                : Math.max(SHORTEST, Long.SIZE - 1 - Long.numberOfLeadingZeros(periodNanos));
    }

    void add(long takenNanos, long storeNanos) {
        if (shorter != null && !areFor(takenNanos)) {
            shorter.add(takenNanos, storeNanos);
        } else {
            addHere(takenNanos, storeNanos);
        }
    }

    private boolean areFor(long takenNanos) {
        return shorter == null || takenNanos - sinceNanos >= 0;
    }

    private void addHere(long takenNanos, long storeNanos) {
        long begin = begin(takenNanos);
        while (true) {
            Era seen = latest;
            Era there = find(seen, begin);
            if (there != null) {
                there.include(takenNanos, storeNanos);
                return;
            }
            if (seen != null && begin - seen.beginNanos < 0) {
                return; // so old that it is forgotten
            }
            if (LATEST.compareAndSet(this, seen, new Era(begin, takenNanos, storeNanos, seen))) {
                forgetOldest();
                return;
            }
        }
    }

    /** Returns a time that is certainly not later than when the store recorded a take: zero if that is forgotten. */
    long notLater(long takenNanos) {
        long earliest = Long.MAX_VALUE;
        for (Eras eras = this; eras != null; eras = eras.shorter) {
            Era era = eras.areFor(takenNanos) ? find(eras.latest, eras.begin(takenNanos)) : null;
            earliest = era == null ? earliest : Math.min(earliest, era.notLater(takenNanos));
        }
        return earliest == Long.MAX_VALUE ? 0 : earliest;
    }

    private long begin(long takenNanos) {
        return takenNanos >> bits << bits;
    }

    private static @Nullable Era find(@Nullable Era latest, long begin) {
        Era era = latest;
        while (era != null && era.beginNanos != begin) {
            era = era.before;
        }
        return era;
    }

    private void forgetOldest() {
        Era era = latest;
        for (int i = 1; era != null && i < MOST; i++) {
            era = era.before;
        }
        if (era != null) {
            era.before = null;
        }
    }

    /** Bounds of all takes within a span of time. */
    private static final class Era {

        private static final VarHandle FIRST_NANOS =
                Handles.of(() -> MethodHandles.lookup().findVarHandle(Era.class, "firstNanos", long.class));
        private static final VarHandle AHEAD_NANOS =
                Handles.of(() -> MethodHandles.lookup().findVarHandle(Era.class, "aheadNanos", long.class));

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

        long notLater(long takenNanos) {
            return Math.max(firstNanos, takenNanos - aheadNanos);
        }
    }
}
