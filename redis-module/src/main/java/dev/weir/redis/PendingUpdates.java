package dev.weir.redis;

import java.util.List;

/**
 * Pending updates for the store, sent with the next question. Immutable.
 *
 * @param undone permits to give back
 * @param owed usage to charge
 * @param heldPermits how many permits this node holds of limits that get them back when leases are closed
 * @param heldCalls how many requests hold them
 * @param isHeldNew whether the held permits are to be reported even without other updates
 */
record PendingUpdates(Undone undone, Owed owed, long heldPermits, long heldCalls, boolean isHeldNew) {

    static final PendingUpdates NONE = new PendingUpdates(Undone.NOTHING, Owed.NOTHING, 0, 0, false);

    /** The most slots given back with one question: a script blocks the server for longer with more. */
    static final int MOST_UNDONE = 256;

    /** Returns whether there are updates to send. */
    boolean isAny() {
        return isHeldNew || !owed.isNothing() || !undone.isEmpty();
    }

    /** Returns whether there is more to give back than one question takes. */
    boolean isMany() {
        return undone.isMoreThan(MOST_UNDONE);
    }

    /** Returns whether this node has to report leases in use, or permits for them, to the store. */
    boolean isHolding() {
        return heldPermits > 0 || heldCalls > 0;
    }

    PendingUpdates undoing(Slot slot) {
        return withUndone(undone.with(slot));
    }

    /** Adds the slots of a question that was not sent. */
    PendingUpdates undoing(List<Slot> slots) {
        return withUndone(undone.with(slots));
    }

    private PendingUpdates withUndone(Undone all) {
        return new PendingUpdates(all, owed, heldPermits, heldCalls, isHeldNew);
    }

    PendingUpdates owing(Owed more) {
        return new PendingUpdates(undone, owed.and(more), heldPermits, heldCalls, isHeldNew);
    }

    /** Adds to the held permits and requests, or subtracts; not sent on its own account, as the store knows already. */
    PendingUpdates holding(long permits, long calls) {
        return new PendingUpdates(
                undone, owed, Math.max(0, heldPermits + permits), Math.max(0, heldCalls + calls), isHeldNew);
    }

    PendingUpdates withHeldNew() {
        return new PendingUpdates(undone, owed, heldPermits, heldCalls, true);
    }

    PendingUpdates holdingNothing() {
        return new PendingUpdates(undone, owed, 0, 0, true);
    }

    /**
     * Creates a question that carries all updates and asks for permits. With more to give back than fits it gives back as much as
     * that, and asks for nothing: what is owed and wanted follows once all is given back.
     */
    Question question(Wanted wanted, List<Slot> booked) {
        List<Slot> some = undone.latest(MOST_UNDONE);
        Wanted now = isMany() ? Wanted.NOTHING : wanted;
        Owed charged = isMany() ? Owed.NOTHING : owed;
        return new Question(now, charged, some, booked, heldPermits, heldCalls, false);
    }

    /** Returns the updates left after the latest question; the held permits go with every question. */
    PendingUpdates afterQuestion() {
        Owed left = isMany() ? owed : Owed.NOTHING;
        return new PendingUpdates(undone.withoutLatest(MOST_UNDONE), left, heldPermits, heldCalls, false);
    }
}
