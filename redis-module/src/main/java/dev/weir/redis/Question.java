package dev.weir.redis;

import java.util.List;

/**
 * What one trip to the store asks for: undoes, charges and takes, in this order and at once.
 *
 * @param one the permits of the first request; zero takes nothing
 * @param most how many permits to take at most of those that are there, for this request and more like it
 * @param waiting how many permits may be taken or booked in all; where the first request may have to wait, it is booked anyway
 * @param longestWaitNanos how long the first request may have to wait; otherwise nothing is booked for it
 * @param aheadNanos how long those after it may have to
 * @param charge permits to take whether they are there or not
 * @param undone what to give back
 * @param booked what this node has booked and not undone: left out of what is told of the present
 * @param heldPermits how many permits this node holds of limits that get them back when leases are closed
 * @param heldCalls of how many requests
 * @param untold what to take likewise of each part of the limit, as it counts: what this node has admitted alone
 */
record Question(
        int one,
        long most,
        long waiting,
        long longestWaitNanos,
        long aheadNanos,
        long charge,
        List<Slot> undone,
        List<Slot> booked,
        long heldPermits,
        long heldCalls,
        Untold untold) {

    /** Whether it changes nothing, but for what is held, which is told with every question. */
    boolean isMereLook() {
        return one == 0 && charge == 0 && undone.isEmpty() && untold.isNothing();
    }

    /** How many permits it may take of those that are there. */
    long mostTaken() {
        return charge + untold.permits() + (one > 0 ? most : 0);
    }
}
