package dev.weir;

/** Two counts in one number: leases refused in the upper half, leases granted in the lower, which may be negative. */
final class TwoCounts {

    /** From this many leases on, granted or refused, an account uses a tally. */
    private static final int MANY = 1 << 30;

    private TwoCounts() {}

    static long of(int acquired, int refused) {
        return ((long) refused << Integer.SIZE) + acquired;
    }

    static int acquired(long counts) {
        return (int) counts;
    }

    static int refused(long counts) {
        return (int) ((counts - acquired(counts)) >> Integer.SIZE);
    }

    static boolean areMany(long counts) {
        return acquired(counts) >= MANY || refused(counts) >= MANY;
    }
}
