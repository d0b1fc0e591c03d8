package dev.weir.limit;

/** The encoding of a slot of a {@link GrantRing}: {@code time << 2 | more << 1 | lap}. The bits are explained there. */
final class RingSlot {

    static final long LAP = 1;
    static final long MORE = 2;
    static final int MARKS = 2;

    /** The number of bits of the latest time that fits. */
    private static final int BITS = Long.SIZE - Long.numberOfLeadingZeros(GrantLog.LATEST);

    private static final long FROZEN = Long.MIN_VALUE | MORE;

    /** The initial value of all slots. */
    static final long UNUSED = GrantLog.NEVER << MARKS;

    private RingSlot() {}

    static boolean fits(long time) {
        return time >>> BITS == 0;
    }

    static long time(long slot) {
        return slot >> MARKS;
    }

    static boolean isUnused(long slot) {
        return time(slot) == GrantLog.NEVER;
    }

    /** Returns a used slot, in the lap after the initial one. */
    static long used(long time) {
        return time << MARKS | LAP;
    }

    /** Returns the slot one lap later. */
    static long renewed(long slot, long time, boolean more) {
        return time << MARKS | (more ? MORE : 0) | (~slot & LAP);
    }

    static boolean isMoreToCome(long slot) {
        return (slot & MORE) != 0;
    }

    static long frozen(long head) {
        return FROZEN | (~head & LAP);
    }

    static boolean isFrozen(long slot) {
        return (slot | LAP) == (FROZEN | LAP);
    }

    /** Returns whether a place is the head, judging by two neighbours, with no take of several in progress; in one comparison. */
    static boolean isHead(int place, long oldest, long newest) {
        long lap = place == 0 ? 0 : LAP;
        return (((oldest ^ newest ^ lap) & LAP) | (newest & MORE)) == 0;
    }

    /** The same, whether or not a take of several permits is in progress. */
    static boolean marksHead(int place, long oldest, long newest) {
        return ((oldest ^ newest) & LAP) == (place == 0 ? 0 : LAP);
    }
}
