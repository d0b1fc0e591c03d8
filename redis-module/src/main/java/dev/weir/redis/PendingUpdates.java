package dev.weir.redis;

import java.util.List;

/**
 * Pending updates for the store, sent with the next question. Immutable.
 *
 * @param undone permits to give back
 * @param owed usage to charge
 * @param isDue whether a question is to be sent even without other updates: for what it reports as held, or to have a limit written
 */
record PendingUpdates(Undone undone, Owed owed, boolean isDue) {

    static final PendingUpdates NONE = new PendingUpdates(Undone.NOTHING, Owed.NOTHING, false);

    /** The most slots given back with one question: a script blocks the server for longer with more. */
    static final int MOST_UNDONE = 256;

    /** Returns whether there are updates to send. */
    boolean isAny() {
        return isDue || !owed.isNothing() || !undone.isEmpty();
    }

    /** Returns whether there is more to give back than one question takes. */
    boolean isMany() {
        return undone.isMoreThan(MOST_UNDONE);
    }

    PendingUpdates undoing(Slot slot) {
        return withUndone(undone.with(slot));
    }

    /** Adds the slots of a question that was not sent. */
    PendingUpdates undoing(List<Slot> slots) {
        return withUndone(undone.with(slots));
    }

    private PendingUpdates withUndone(Undone all) {
        return new PendingUpdates(all, owed, isDue);
    }

    PendingUpdates owing(Owed more) {
        return new PendingUpdates(undone, owed.and(more), isDue);
    }

    PendingUpdates due() {
        return new PendingUpdates(undone, owed, true);
    }

    /**
     * Creates a question that carries all updates and asks for permits. With more to give back than fits it gives back as much as
     * that, and asks for nothing: what is owed and wanted follows once all is given back.
     */
    Question question(Wanted wanted, List<Slot> booked, Held held) {
        List<Slot> some = undone.latest(MOST_UNDONE);
        Wanted now = isMany() ? Wanted.NOTHING : wanted;
        Owed charged = isMany() ? Owed.NOTHING : owed;
        return new Question(now, charged, some, booked, held.permits(), held.calls(), false);
    }

    /** Returns the updates left after the latest question. */
    PendingUpdates afterQuestion() {
        Owed left = isMany() ? owed : Owed.NOTHING;
        return new PendingUpdates(undone.withoutLatest(MOST_UNDONE), left, false);
    }
}
