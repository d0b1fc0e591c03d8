package dev.weir.limit;

/** What a slot of a {@link GrantRing} says: {@code time << 2 | more << 1 | lap}. See there for what that means. */
final class RingSlot {

    private static final long LAP = 1;
    private static final long MORE = 2;
    private static final int MARKS = 2;

    /** Of the latest time that fits. */
    private static final int BITS = Long.SIZE - Long.numberOfLeadingZeros(GrantLog.LATEST);

    private static final long FROZEN = Long.MIN_VALUE | MORE;

    /** As all are where a ring begins. */
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

    /** In the lap after the one that rings begin in. */
    static long used(long time) {
        return time << MARKS | LAP;
    }

    /** The same slot one lap later. */
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

    /** Tells by two neighbours whether that place is the head, with no take of several under way; in one comparison. */
    static boolean isHead(int place, long oldest, long newest) {
        long lap = place == 0 ? 0 : LAP;
        return (((oldest ^ newest ^ lap) & LAP) | (newest & MORE)) == 0;
    }

    /** The same, whatever is under way. */
    static boolean marksHead(int place, long oldest, long newest) {
        return ((oldest ^ newest) & LAP) == (place == 0 ? 0 : LAP);
    }
}
