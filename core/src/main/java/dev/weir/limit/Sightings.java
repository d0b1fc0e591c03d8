package dev.weir.limit;

/**
 * A table of hints: where threads last saw the head of a ring from which many take at once. Only a place to begin the search:
 * reading what another thread has written there makes the search longer, and nothing else.
 *
 * <p>One table for all rings, as there may be a million of them, of which few are contended. Its places are a cache line apart,
 * so they are hardly ever written by two processors in turn. They are plain numbers, read and written without any ordering; one
 * that is read in two halves (JLS 17.7) names the wrong ring or an old place.
 */
final class Sightings {

    /** There is no sighting of that ring. */
    static final int NONE = -1;

    private static final int PLACES = 64;
    private static final int DISTANCE = 8;

    /** The ring in the upper half, the place of its head in the lower. */
    private static final long[] SEEN = new long[PLACES * DISTANCE];

    private Sightings() {}

    /** Returns where the calling thread last saw the head of a ring, as far as is known, or {@link #NONE}. */
    static int latest(long ring, int slots) {
        long seen = SEEN[place(ring)];
        return (int) (seen >>> Integer.SIZE) == (int) ring && (int) seen < slots ? (int) seen : NONE;
    }

    static void note(long ring, int head) {
        SEEN[place(ring)] = ring << Integer.SIZE | head;
    }

    private static int place(long ring) {
        return ((int) (ring + Thread.currentThread().getId()) & (PLACES - 1)) * DISTANCE;
    }
}
