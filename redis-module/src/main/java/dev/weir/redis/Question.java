package dev.weir.redis;

import java.util.List;

/**
 * One request to the store: undoes, charges and takes, in this order and atomically.
 *
 * @param wanted what to take
 * @param owed usage to charge
 * @param undone takes to give back, latest first
 * @param booked this node's bookings that are not undone, latest first: left out of the state that the answer reports
 * @param heldPermits how many permits this node holds of limits that get them back when leases are closed
 * @param heldCalls how many requests hold them
 * @param writes whether the state is to be written even if nothing changes it, and debt charged anew, as the limit may be another
 */
record Question(
        Wanted wanted,
        Owed owed,
        List<Slot> undone,
        List<Slot> booked,
        long heldPermits,
        long heldCalls,
        boolean writes) {

    Question {
        undone = Slot.latestFirst(undone);
        booked = Slot.latestFirst(booked);
    }

    /** Returns the same, but with the state written in any case. */
    Question writing() {
        return new Question(wanted, owed, undone, booked, heldPermits, heldCalls, true);
    }

    /** Returns the permits of the first request, or zero if it takes nothing. */
    int one() {
        return wanted.one();
    }

    /** Returns how much it takes whether it is available or not: of the part of the limit that is charged most. */
    long mostCharged() {
        return owed.most();
    }

    /** Returns whether the store has written its state if it has answered like this; false if that is not certain. */
    boolean hasWritten(Answer answer) {
        return writes
                || hasUpdates()
                || answer.granted() > 0
                || !answer.bookings().isEmpty();
    }

    /** Returns whether this can be the answer to it: who asks for nothing is granted nothing. */
    boolean fits(Answer answer) {
        return one() > 0 || (answer.granted() == 0 && answer.bookings().isEmpty());
    }

    private boolean hasUpdates() {
        return !owed.isNothing() || !undone.isEmpty();
    }

    /** Returns whether it changes nothing but the held permits, which every question reports. */
    boolean isMereLook() {
        return one() == 0 && !hasUpdates();
    }

    /** Returns how many permits it may take at once. */
    long mostTaken() {
        return mostCharged() + (one() > 0 ? wanted.most() : 0);
    }
}
