package dev.weir.redis;

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
record News(Undone undone, long charge, Untold untold, long heldPermits, long heldCalls, boolean isHeldNew) {

    /** So much of what goes back is told with one question: a script takes the longer for it, and the server does nothing else. */
    static final int MOST_UNDONE = 256;

    static final News NONE = new News(Undone.NOTHING, 0, Untold.NOTHING, 0, 0, false);

    /** Tells whether there is anything to tell. */
    boolean isAny() {
        return isHeldNew || charge > 0 || !untold.isNothing() || !undone.isEmpty();
    }

    /** Tells whether more goes back than one question tells. */
    boolean isMuch() {
        return undone.isMoreThan(MOST_UNDONE);
    }

    boolean isHolding() {
        return heldPermits > 0 || heldCalls > 0;
    }

    News undone(Slot slot) {
        return withUndone(undone.with(slot));
    }

    /** The same, and of a question as well that was not sent. */
    News undone(List<Slot> slots) {
        return withUndone(undone.with(slots));
    }

    private News withUndone(Undone all) {
        return new News(all, charge, untold, heldPermits, heldCalls, isHeldNew);
    }

    News charged(long permits) {
        long sum = Math.min(Integer.MAX_VALUE, charge + permits);
        return new News(undone, sum, untold, heldPermits, heldCalls, isHeldNew);
    }

    News owed(Owed owed) {
        return new News(undone, charge, untold.and(owed.untold()), heldPermits, heldCalls, isHeldNew)
                .charged(owed.charge());
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

    /** Makes a question that tells all this, and asks for that much. */
    Question question(int one, long most, long waiting, long longestWaitNanos, long aheadNanos, List<Slot> booked) {
        return new Question(
                one,
                most,
                waiting,
                longestWaitNanos,
                aheadNanos,
                charge,
                undone.latest(MOST_UNDONE),
                booked,
                heldPermits,
                heldCalls,
                untold);
    }

    /** Makes one that tells what it may of what goes back, and asks for nothing: what is charged and taken comes after all that. */
    Question questionOfSome(List<Slot> booked) {
        List<Slot> some = undone.latest(MOST_UNDONE);
        return new Question(0, 0, 0, 0, 0, 0, some, booked, heldPermits, heldCalls, Untold.NOTHING);
    }

    /** What is left when the question that was made last has been published: what is held is told with each. */
    News told() {
        return isMuch()
                ? new News(undone.withoutLatest(MOST_UNDONE), charge, untold, heldPermits, heldCalls, false)
                : new News(Undone.NOTHING, 0, Untold.NOTHING, heldPermits, heldCalls, false);
    }
}
