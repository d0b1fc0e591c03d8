package dev.weir.limit;

import java.util.Arrays;

/** Operations on the offsets of a {@link GrantLog}, in ascending order. */
final class Offsets {

    private Offsets() {}

    /** Returns the offsets of two arrays, of which the first ends before the second begins. */
    static long[] joined(long[] first, long[] then) {
        long[] joined = Arrays.copyOf(first, first.length + then.length);
        System.arraycopy(then, 0, joined, first.length, then.length);
        return joined;
    }

    /** Returns the offsets without those that never count. */
    static long[] withoutNever(long[] sorted) {
        int used = firstAtOrAfter(sorted, GrantLog.NEVER + 1);
        return used == 0 ? sorted : Arrays.copyOfRange(sorted, used, sorted.length);
    }

    /** Returns the index of the first that is not before a time; the number of all if none is. */
    static int firstAtOrAfter(long[] sorted, long time) {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] < time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
