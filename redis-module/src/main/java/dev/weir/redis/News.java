package dev.weir.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * What the store is to be told with the next question. Immutable.
 *
 * @param undone what goes back
 * @param charge permits to take whether they are there or not
 * @param untold what was admitted alone, where each part of the limit counts that in its own way
 * @param heldPermits how many permits this node holds of limits that get them back when leases are closed
 * @param heldCalls of how many requests
 * @param isHeldNew whether that is to be told though nothing else is
 */
record News(List<Slot> undone, long charge, Untold untold, long heldPermits, long heldCalls, boolean isHeldNew) {

    static final News NONE = new News(List.of(), 0, Untold.NOTHING, 0, 0, false);

    /** Tells whether there is anything to tell. */
    boolean isAny() {
        return isHeldNew || charge > 0 || !untold.isNothing() || !undone.isEmpty();
    }

    boolean isHolding() {
        return heldPermits > 0 || heldCalls > 0;
    }

    News undone(Slot slot) {
        return withUndone(joined(undone, List.of(slot)));
    }

    /** The same, and of an earlier question as well, which was not sent. */
    News undoneBefore(List<Slot> earlier) {
        return withUndone(joined(earlier, undone));
    }

    private static List<Slot> joined(List<Slot> first, List<Slot> second) {
        List<Slot> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }

    private News withUndone(List<Slot> all) {
        return new News(all, charge, untold, heldPermits, heldCalls, isHeldNew);
    }

    News charged(long permits) {
        long sum = Math.min(Integer.MAX_VALUE, charge + permits);
        return new News(undone, sum, untold, heldPermits, heldCalls, isHeldNew);
    }

    News owed(Owed owed) {
        return new News(undone, charge, owed.untold(), heldPermits, heldCalls, isHeldNew).charged(owed.charge());
    }

    /** As much more is held, which the store knows already, or less. */
    News holding(long permits, long calls) {
        return new News(
                undone, charge, untold, Math.max(0, heldPermits + permits), Math.max(0, heldCalls + calls), isHeldNew);
    }

    News withHeldNew() {
        return new News(undone, charge, untold, heldPermits, heldCalls, true);
    }

    News holdingNothing() {
        return new News(undone, charge, untold, 0, 0, true);
    }

    /** What is left when all this has gone into a question: what is held is told with each. */
    News told() {
        return new News(List.of(), 0, Untold.NOTHING, heldPermits, heldCalls, false);
    }
}
