package dev.weir.limit;

/**
 * Where each of some threads last saw the head of a ring that many take from at once. Only a place to begin the search: whoever
 * reads what another thread has written there has further to go, and nothing else.
 *
 * <p>One table for all rings, as there may be a million of them, of which few are crowded. Its places are a cache line apart, and so
 * are hardly ever written by two processors in turn. They are plain numbers, read and written without any order; should one be
 * read in two halves (JLS 17.7), it names the wrong ring or an old place.
 */
final class Sightings {

    /** There is none of that ring. */
    static final int NONE = -1;

    private static final int PLACES = 64;
    private static final int DISTANCE = 8;

    /** The ring in the upper half, the place of its head in the lower. */
    private static final long[] SEEN = new long[PLACES * DISTANCE];

    private Sightings() {}

    /** Where the calling thread saw the head of that ring, as far as can be told, or {@link #NONE}. */
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
