package dev.weir.redis;

/**
 * A request that the store did not grant, and for how long it told it to wait: until then, requests for as many permits or more need
 * not be asked for again.
 *
 * @param permits of the denied request; zero if none was denied
 * @param waitNanos how long it has to wait, or {@link Answer#UNKNOWN}
 * @param isOutOfReach whether it was not booked though it would have waited for so long: the store counts no further ahead
 * @param atNanos when the answer arrived
 */
record Denial(int permits, long waitNanos, boolean isOutOfReach, long atNanos) {

    static final Denial NONE = new Denial(0, 0, false, 0);

    static Denial of(Question question, Answer answer, long receivedNanos) {
        return question.one() == 0 || answer.waitNanos() == 0 ? NONE : of(question.wanted(), answer, receivedNanos);
    }

    private static Denial of(Wanted wanted, Answer answer, long receivedNanos) {
        int denied = wanted.sizes().after(answer.gained());
        return new Denial(denied, answer.waitNanos(), isOutOfReach(wanted, answer), receivedNanos);
    }

    private static boolean isOutOfReach(Wanted wanted, Answer answer) {
        boolean isNothing = answer.granted() == 0 && answer.bookings().isEmpty();
        return isNothing && answer.waitNanos() > 0 && answer.waitNanos() <= wanted.longestWaitNanos();
    }

    /** Returns whether a request was denied. */
    boolean isAny() {
        return permits > 0;
    }

    /** Returns whether the store could not say when to come back. */
    boolean isWithoutEnd() {
        return isAny() && waitNanos == Answer.UNKNOWN;
    }

    /** Returns how much longer a request of that size is known to wait; zero if that is not known, or the store could not say. */
    long nanosLeft(int asked, long nowNanos) {
        return isWithoutEnd() ? 0 : nanosUntilPoll(asked, nowNanos, 0);
    }

    /** Returns the same, but where the store could not say: how long until the next poll. */
    long nanosUntilPoll(int asked, long nowNanos, long pollNanos) {
        if (!isAny() || asked < permits) {
            return 0;
        }
        long wait = waitNanos == Answer.UNKNOWN ? pollNanos : waitNanos;
        return Math.max(0, wait - (nowNanos - atNanos));
    }

    /** Returns how much longer a request of just that size is known to wait; zero if that is not known. */
    long nanosLeftExactly(int asked, long nowNanos) {
        return asked == permits ? nanosLeft(asked, nowNanos) : 0;
    }

    /** Returns how long until one more request like the denied one could be booked. */
    long nanosUntilBookable(long nowNanos) {
        return waitNanos == Answer.UNKNOWN ? Long.MAX_VALUE : waitNanos - (nowNanos - atNanos);
    }
}
