package dev.weir.limit;

/** From where the head of a ring is looked for: hints that may be wrong, which only makes the search longer. */
abstract class RingCursor {

    /*
     * One cursor says to all where the head was lately. Where many take at once, that would be a second cache line that travels
     * between their processors for each permit, beside the one of the slot. So once threads have met at the head often, each
     * begins where it last saw the head itself (Sightings), goes on from there, and tells the cursor only where FAR divides the
     * place. Who has gone so far without finding the head has slept, or been misled, and asks the cursor.
     *
     * All of it is racy, and benign. A superclass keeps it together without an object of its own, as there may be a million.
     */

    /** From so many meetings on it is a crowd. */
    private static final byte OFTEN = 64;

    static final int FAR = 16;

    private int cursor;

    /** How often one thread found another at the head; about so often, and no longer counted when it is {@link #OFTEN}. */
    private byte met;

    RingCursor(int head) {
        this.cursor = head;
    }

    final int whereToLook(long ring, int slots) {
        return isCrowded() ? Sightings.latest(ring, slots, cursor) : cursor;
    }

    /** Where to go on after {@link #FAR} steps in vain. */
    final int whereOthersLook() {
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
        if (met < OFTEN) {
            met++;
        }
    }

    private boolean isCrowded() {
        return met >= OFTEN;
    }
}
