package dev.weir.limit;

/**
 * Where each of some threads last saw the head of a ring that many take from at once. Only a place to begin the search: whoever
 * finds that another ring or thread has written there has further to go, and nothing else.
 *
 * <p>One table for all rings, as there may be a million of them, of which few are crowded. Its places are a cache line apart, and so
 * are hardly ever written by two processors in turn. They are plain numbers, read and written without any order (JLS 17.7: an int is
 * never torn).
 */
final class Sightings {

    private static final int PLACES = 64;
    private static final int DISTANCE = 16;

    private static final int[] HEADS = new int[PLACES * DISTANCE];

    private Sightings() {}

    /** Where the calling thread saw the head of that ring, as far as can be told, or else what others say. */
    static int latest(long ring, int slots, int otherwise) {
        int seen = HEADS[place(ring)];
        return seen < slots ? seen : otherwise;
    }

    static void note(long ring, int head) {
        HEADS[place(ring)] = head;
    }

    private static int place(long ring) {
        return ((int) (ring + Thread.currentThread().getId()) & (PLACES - 1)) * DISTANCE;
    }
}
