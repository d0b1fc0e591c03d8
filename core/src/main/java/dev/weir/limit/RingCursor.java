package dev.weir.limit;

/** From where the head of a ring is looked for: hints that may be wrong, which only makes the search longer. */
abstract class RingCursor {

    /*
     * One cursor says to all where the head was lately. Where many take at once, that would be a second cache line that travels
     * between their processors for each permit, beside the one of the slot. So once threads have met at the head often, each
     * begins where it last saw the head itself (Sightings), goes on from there, and tells the cursor only where FAR divides the
     * place. Who has not seen it lately, or has gone so far in vain, asks the cursor, and counts against there being a crowd: it
     * was one of very many threads, or has been at other rings.
     *
     *      met   0 ........ CROWD ........ MOST     + 1 when another was at the head,  - 1 when one's own sighting was of no use
     *
     * All of it is racy, and benign. A superclass keeps it together without an object of its own, as there may be a million.
     */

    /** Above so many meetings it is a crowd. */
    private static final byte CROWD = 32;

    private static final byte MOST = 64;

    static final int FAR = 16;

    private int cursor;

    /** How much more often threads met at the head than not, about. */
    private byte met;

    RingCursor(int head) {
        this.cursor = head;
    }

    final int whereToLook(long ring, int slots) {
        if (!isCrowded()) {
            return cursor;
        }
        int seen = Sightings.latest(ring, slots);
        return seen >= 0 ? seen : whereOthersLook();
    }

    /** Where to begin with no sighting of one's own, and to go on after {@link #FAR} steps in vain. */
    final int whereOthersLook() {
        if (isCrowded()) {
            met--;
        }
        return cursor;
    }

    final void lookNextAt(int head, long ring, int taken) {
        boolean isCrowded = isCrowded();
        if (isCrowded) {
            Sightings.note(ring, head);
        }
        if (!isCrowded || taken > 1 || head % FAR == 0) {
            cursor = head;
        }
    }

    /** Another was at the head. */
    final void meet() {
        if (met < MOST) {
            met++;
        }
    }

    private boolean isCrowded() {
        return met > CROWD;
    }
}
