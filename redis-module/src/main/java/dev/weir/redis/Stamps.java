package dev.weir.redis;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * When the store recorded what was taken here at some time, for the latest takes; so that what comes back goes to where it came from.
 * Racy, benign: an estimate does as well.
 */
final class Stamps {

    private static final int LATEST = 64;
    private static final long MARGIN_NANOS = 1_000_000_000;

    private final AtomicReferenceArray<@Nullable Stamp> stamps = new AtomicReferenceArray<>(LATEST);

    private record Stamp(long takenNanos, long storeNanos) {}

    void add(long takenNanos, long storeNanos) {
        stamps.setRelease(place(takenNanos), new Stamp(takenNanos, storeNanos));
    }

    /** Returns when the store recorded it, or, where that is forgotten, a time that is surely not later. */
    long storeTime(long takenNanos, Knowledge known) {
        Stamp stamp = stamps.getAcquire(place(takenNanos));
        return stamp != null && stamp.takenNanos == takenNanos
                ? stamp.storeNanos
                : Math.max(0, known.storeTime(takenNanos) - MARGIN_NANOS);
    }

    private static int place(long takenNanos) {
        return (int) Math.floorMod(takenNanos, (long) LATEST);
    }
}
