package dev.weir.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * Permits that the store has given to this node.
 *
 * @param permits how many
 * @param one the permits of each of the requests that they were asked for
 * @param booked whether those who wait booked them, rather than that they were there at once
 * @param storeNanos when the store has recorded them as taken, on its clock
 * @param readyNanos from when on they may be used, on the clock of this node
 * @param untilNanos until when they may
 */
record Held(int permits, int one, boolean booked, long storeNanos, long readyNanos, long untilNanos) {

    /** What an answer that has just come grants. */
    static Held granted(int permits, int one, Answer answer, long nowNanos, long lifeNanos) {
        return new Held(permits, one, false, answer.nowNanos(), nowNanos, nowNanos + lifeNanos);
    }

    /** What an answer that has just come has booked. */
    static List<Held> booked(int one, Answer answer, long nowNanos, long slackNanos) {
        List<Held> booked = new ArrayList<>(answer.bookings().size());
        for (Answer.Booking booking : answer.bookings()) {
            long ready = nowNanos + booking.inNanos();
            long storeNanos = answer.nowNanos() + booking.inNanos();
            booked.add(new Held(booking.permits(), one, true, storeNanos, ready, ready + slackNanos));
        }
        return booked;
    }

    /** Tells whether they may be used: what was there at once also by those who read the clock before the answer came. */
    boolean isRipe(long nowNanos) {
        return !booked || readyNanos - nowNanos <= 0;
    }

    boolean isStale(long nowNanos) {
        return nowNanos - untilNanos > 0;
    }

    boolean isUsable(long nowNanos) {
        return isRipe(nowNanos) && !isStale(nowNanos);
    }

    /** The requests at the end that have so many permits at least, or all. */
    Held last(long atLeast) {
        long whole = (atLeast - 1) / one * one + one;
        return less((int) Math.max(0, permits - whole));
    }

    Held less(int taken) {
        return new Held(permits - taken, one, booked, storeNanos, readyNanos, untilNanos);
    }

    /** So many of them that were taken and not used: what was booked, too, is from now on kept no longer than what was there at once. */
    Held putBack(int taken, long lifeNanos) {
        long until = booked ? Math.min(untilNanos, readyNanos + lifeNanos) : untilNanos;
        return new Held(taken, taken, false, storeNanos, readyNanos, until);
    }

    /** How many requests they are for, the last of which may be what one of another size has left. */
    long calls() {
        return (permits + one - 1L) / one;
    }

    Slot slot() {
        return new Slot(permits, storeNanos, false, one);
    }
}
