package dev.weir;

import org.jspecify.annotations.Nullable;

/** Refuses several waiting requests at once. Used inside the drain only. */
final class Refusals {

    private final PermitSource source;
    private final WaiterStack arrivals;
    private final WaitingRoom room;
    private final Verdicts verdicts;

    Refusals(PermitSource source, WaiterStack arrivals, WaitingRoom room, Verdicts verdicts) {
        this.source = source;
        this.arrivals = arrivals;
        this.room = room;
        this.verdicts = verdicts;
    }

    /** Once it is decided that the first request waits, those behind it that must not are refused. */
    void storeOnlyBehind(Waiter first, long now, Answers answers) {
        if (!room.hasAnyForStoreOnly() || verdicts.isUndecided(first, now)) {
            return;
        }
        for (Waiter waiter = room.queue.oldest(); waiter != null; ) {
            Waiter newer = waiter.newer;
            if (waiter.awaitsStoreOnly) {
                verdicts.refuseForItsWait(waiter, now, answers);
            }
            waiter = newer;
        }
    }

    /** Refuses requests whose time is up, unless another pass for them is about to follow. Returns whether there were any. */
    boolean overdue(long now, Answers answers) {
        Waiter first = room.firstToRunOutOfTime();
        if (first == null || first.nanosLeft(now) > 0 || source.looksOnceMore(first, answers)) {
            return false;
        }
        while (first != null && first.nanosLeft(now) <= 0) {
            verdicts.refuseForItsWait(first, now, answers);
            first = room.firstToRunOutOfTime();
        }
        return true;
    }

    /** Refuses requests that could never be granted under the present limit. */
    void tooLarge(long now, Answers answers) {
        for (Waiter waiter = room.queue.oldest(); waiter != null; ) {
            Waiter newer = waiter.newer;
            verdicts.refuseIfTooLarge(waiter, now, answers);
            waiter = newer;
        }
    }

    /** Refuses all requests, also those that have just arrived, with the cause, if there is one. */
    void all(RefusalReason reason, @Nullable Throwable cause, long now, Answers answers) {
        for (Waiter waiter = room.anyone(); waiter != null; waiter = room.anyone()) {
            verdicts.refuse(waiter, reason, cause, now, answers);
        }
        for (Waiter waiter = arrivals.takeAll(); waiter != null; ) {
            Waiter next = waiter.onTheWay;
            waiter.onTheWay = null;
            verdicts.refuse(waiter, reason, cause, now, answers);
            waiter = next;
        }
    }
}
