package dev.weir.redis;

import java.util.List;

/**
 * One request to the store: undoes, charges and takes, in this order and atomically.
 *
 * @param wanted what to take
 * @param charge permits to take whether they are available or not
 * @param undone takes to give back
 * @param booked this node's bookings that are not undone: left out of the state that the answer reports
 * @param heldPermits how many permits this node holds of limits that get them back when leases are closed
 * @param heldCalls how many requests hold them
 * @param untold usage this node has admitted alone, charged to each part of the limit as it counts
 * @param writes whether the state is to be written even if nothing changes it
 */
record Question(
        Wanted wanted,
        long charge,
        List<Slot> undone,
        List<Slot> booked,
        long heldPermits,
        long heldCalls,
        Untold untold,
        boolean writes) {

    /** Returns the same, but with the state written in any case. */
    Question writing() {
        return new Question(wanted, charge, undone, booked, heldPermits, heldCalls, untold, true);
    }

    /** Returns the permits of the first request, or zero if it takes nothing. */
    int one() {
        return wanted.one();
    }

    /** Returns whether the store has written its state if it has answered like this; false if that is not certain. */
    boolean hasWritten(Answer answer) {
        return writes
                || hasUpdates()
                || answer.granted() > 0
                || !answer.bookings().isEmpty();
    }

    private boolean hasUpdates() {
        return charge > 0 || !undone.isEmpty() || !untold.isNothing();
    }

    /** Returns whether it changes nothing but the held permits, which every question reports. */
    boolean isMereLook() {
        return one() == 0 && !hasUpdates();
    }

    /** Returns how many permits it may take at once. */
    long mostTaken() {
        return charge + untold.permits() + (one() > 0 ? wanted.most() : 0);
    }
}
