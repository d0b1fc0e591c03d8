package dev.weir.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * One grant of the store to this node: permits for one or several requests of one size.
 *
 * @param permits how many
 * @param one the permits of each of the requests that they were asked for
 * @param booked whether they were booked for waiting requests, rather than available at once
 * @param storeNanos when the store has recorded them as taken, on its clock
 * @param readyNanos from when on they may be used, on the clock of this node
 * @param untilNanos until when they may be used, on the same clock
 */
record Grant(int permits, int one, boolean booked, long storeNanos, long readyNanos, long untilNanos) {

    /** Returns permits granted by an answer that has just arrived, to be used at once: for requests of each size apart. */
    static List<Grant> granted(Sizes sizes, int permits, Answer answer, long nowNanos, long lifeNanos) {
        List<Grant> granted = new ArrayList<>();
        for (Sizes.Run run : sizes.first(permits)) {
            int these = (int) run.permits();
            granted.add(new Grant(these, run.one(), false, answer.nowNanos(), nowNanos, nowNanos + lifeNanos));
        }
        return granted;
    }

    /** Returns the bookings of an answer that has just arrived. */
    static List<Grant> booked(Sizes sizes, Answer answer, long nowNanos, long slackNanos) {
        List<Grant> booked = new ArrayList<>(answer.bookings().size());
        long before = answer.granted();
        for (Answer.Booking booking : answer.bookings()) {
            int one = sizes.after(before);
            before += booking.permits();
            long ready = nowNanos + booking.inNanos();
            long storeNanos = answer.nowNanos() + booking.inNanos();
            booked.add(new Grant(booking.permits(), one, true, storeNanos, ready, ready + slackNanos));
        }
        return booked;
    }

    /** Returns whether they are due; unbooked permits always are, even for a caller whose clock reading predates the answer. */
    boolean isDue(long nowNanos) {
        return !booked || readyNanos - nowNanos <= 0;
    }

    boolean isStale(long nowNanos) {
        return nowNanos - untilNanos > 0;
    }

    boolean isUsable(long nowNanos) {
        return isDue(nowNanos) && !isStale(nowNanos);
    }

    /** Returns the last whole requests with at least that many permits in all, or all requests. */
    Grant last(long atLeast) {
        long whole = (atLeast - 1) / one * one + one;
        return less((int) Math.max(0, permits - whole));
    }

    Grant less(int taken) {
        return new Grant(permits - taken, one, booked, storeNanos, readyNanos, untilNanos);
    }

    /** Returns permits taken and not used, to be held again: from now on booked ones are kept no longer than unbooked ones. */
    Grant putBack(int taken, long lifeNanos) {
        long until = booked ? Math.min(untilNanos, readyNanos + lifeNanos) : untilNanos;
        return new Grant(taken, taken, false, storeNanos, readyNanos, until);
    }

    /** Returns how many requests they are for; the last may be the rest that a request of another size has left. */
    long calls() {
        return (permits + one - 1L) / one;
    }

    Slot slot() {
        return new Slot(permits, storeNanos, false, one, !booked);
    }
}
