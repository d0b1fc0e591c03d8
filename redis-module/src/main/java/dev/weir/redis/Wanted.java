package dev.weir.redis;

/**
 * The permits that a question asks for.
 *
 * @param sizes the permits of the first request and of the others; none to take nothing
 * @param most how many permits to take at once, at most
 * @param waiting how many permits may be taken or booked in all; where the first request may have to wait, it is booked anyway
 * @param longestWaitNanos the longest wait of the first request; nothing is booked for it beyond that
 * @param aheadNanos the longest wait to book for those after it
 */
record Wanted(Sizes sizes, long most, long waiting, long longestWaitNanos, long aheadNanos) {

    /** Of a question that only carries updates and asks for the state of the limit. */
    static final Wanted NOTHING = new Wanted(Sizes.NONE, 0, 0, 0, 0);

    /** Permits that are there: for a request, and to keep as many more in hand. */
    static Wanted atOnce(int one, long most) {
        return new Wanted(Sizes.all(one), most, 0, 0, 0);
    }

    /** Returns the permits of the first request, or zero if nothing is to be taken. */
    int one() {
        return sizes.after(0);
    }

    boolean isAtOnce() {
        return waiting == 0 && longestWaitNanos == 0 && aheadNanos == 0;
    }
}
