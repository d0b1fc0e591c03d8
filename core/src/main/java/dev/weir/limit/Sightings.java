package dev.weir.limit;

/**
 * A table of hints: where threads last saw the head of a ring from which many take at once. Only a place to begin the search:
 * reading what another thread has written there makes the search longer, and nothing else.
 *
 * <p>One table for all rings, as there may be a million of them, of which few are contended. A ring goes by its origin, the time
 * from which it counts. Rings of the same origin, or of one with the same lower half, merely mislead each other.
 *
 * <p>The places of the table are a cache line apart, so they are hardly ever written by two processors in turn. They are plain
 * numbers, read and written without any ordering; one that is read in two halves (JLS 17.7) names the wrong ring or an old place.
 */
final class Sightings {

    /** There is no sighting of that ring. */
    static final int NONE = -1;

    private static final int PLACES = 64;
    private static final int DISTANCE = 8;

    /** The lower half of a ring's origin in the upper half, the place of its head in the lower. */
    private static final long[] SEEN = new long[PLACES * DISTANCE];

    private Sightings() {}

    /** Returns where the calling thread last saw the head of a ring, as far as is known, or {@link #NONE}. */
    static int latest(long originNanos, int slots) {
        long seen = SEEN[place(originNanos)];
        return (int) (seen >>> Integer.SIZE) == (int) originNanos && (int) seen < slots ? (int) seen : NONE;
    }

    static void note(long originNanos, int head) {
        SEEN[place(originNanos)] = originNanos << Integer.SIZE | head;
    }

    private static int place(long originNanos) {
        return ((int) (originNanos + Thread.currentThread().getId()) & (PLACES - 1)) * DISTANCE;
    }
}
