package dev.weir.redis;

import java.util.List;

/**
 * Pending updates for the store, sent with the next question. Immutable.
 *
 * @param undone permits to give back
 * @param charge permits to take whether they are available or not
 * @param untold usage admitted alone, for limits with parts that count it differently
 * @param heldPermits how many permits this node holds of limits that get them back when leases are closed
 * @param heldCalls how many requests hold them
 * @param isHeldNew whether the held permits are to be reported even without other updates
 */
record News(Undone undone, long charge, Untold untold, long heldPermits, long heldCalls, boolean isHeldNew) {

    static final News NONE = new News(Undone.NOTHING, 0, Untold.NOTHING, 0, 0, false);

    /** The most slots given back with one question: a script blocks the server for longer with more. */
    static final int MOST_UNDONE = 256;

    /** Returns whether there are updates to send. */
    boolean isAny() {
        return isHeldNew || charge > 0 || !untold.isNothing() || !undone.isEmpty();
    }

    /** Returns whether there is more to give back than one question takes. */
    boolean isMuch() {
        return undone.isMoreThan(MOST_UNDONE);
    }

    boolean isHolding() {
        return heldPermits > 0 || heldCalls > 0;
    }

    News undone(Slot slot) {
        return withUndone(undone.with(slot));
    }

    /** Adds the slots of a question that was not sent. */
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

    /** Adds to the held permits and requests, or subtracts; not sent on its own account, as the store knows already. */
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

    /** Creates a question that carries all updates and asks for permits. */
    Question question(Wanted wanted, List<Slot> booked) {
        return new Question(wanted, charge, undone.latest(MOST_UNDONE), booked, heldPermits, heldCalls, untold, false);
    }

    /** Creates one that gives back as much as fits and asks for nothing: charges and takes follow once all is given back. */
    Question questionOfSome(List<Slot> booked) {
        List<Slot> some = undone.latest(MOST_UNDONE);
        return new Question(Wanted.NOTHING, 0, some, booked, heldPermits, heldCalls, Untold.NOTHING, false);
    }

    /** Returns the updates left after the latest question; the held permits go with every question. */
    News told() {
        return isMuch()
                ? new News(undone.withoutLatest(MOST_UNDONE), charge, untold, heldPermits, heldCalls, false)
                : new News(Undone.NOTHING, 0, Untold.NOTHING, heldPermits, heldCalls, false);
    }
}
