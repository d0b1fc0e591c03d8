package dev.weir.limit;

/** Hints where to look for the head of a ring. They may be wrong, which only makes the search longer. */
abstract class RingCursor {

    /*
     * One cursor, shared by all threads, gives a recent position of the head. If many threads take at once, that would be a
     * second cache line that travels between their processors for each permit, beside the one of the slot. So once threads have
     * met at the head often, each begins where it last saw the head itself (Sightings), goes on from there, and updates the
     * cursor only at places divisible by FAR. A thread that has not seen the head lately, or has searched that far in vain, reads
     * the cursor, and counts against contention: it was one of very many threads, or has been using other rings.
     *
     *      met   0 ........ CROWD ........ MOST     + 1 when another was at the head,  - 1 when a thread's sighting was of no use
     *
     * All of these races are benign. The fields are in a superclass rather than in an object of their own, as there may be a
     * million rings.
     */

    /** Above this value of {@code met} the ring counts as contended. */
    private static final byte CROWD = 32;

    private static final byte MOST = 64;

    static final int FAR = 16;

    private int cursor;

    /** Roughly, how much more often threads met at the head than not. */
    private byte met;

    RingCursor(int head) {
        this.cursor = head;
    }

    final int whereToLook(long originNanos, int slots) {
        if (!isCrowded()) {
            return cursor;
        }
        int seen = Sightings.latest(originNanos, slots);
        return seen >= 0 ? seen : whereOthersLook();
    }

    /** Returns where to begin without a sighting of the thread's own, and where to continue after {@link #FAR} steps in vain. */
    final int whereOthersLook() {
        if (isCrowded()) {
            met--;
        }
        return cursor;
    }

    final void lookNextAt(int head, long originNanos, int taken) {
        boolean isCrowded = isCrowded();
        if (isCrowded) {
            Sightings.note(originNanos, head);
        }
        if (!isCrowded || taken > 1 || head % FAR == 0) {
            cursor = head;
        }
    }

    /** Records that another thread was at the head. */
    final void meet() {
        if (met < MOST) {
            met++;
        }
    }

    private boolean isCrowded() {
        return met > CROWD;
    }
}
