package dev.weir;

/** Decides what happens to a new request: it is granted at once, waits, or is refused. Used inside the drain only. */
final class Admission {

    private final PermitSource source;
    private final WaitingRoom room;
    private final WaitQueue queue;
    private final Verdicts verdicts;

    Admission(PermitSource source, WaitingRoom room, Verdicts verdicts) {
        this.source = source;
        this.room = room;
        this.queue = room.queue;
        this.verdicts = verdicts;
    }

    /** On any failure the waiter is refused: it and those behind it have left the arrivals, so no later pass would find it. */
    void admit(Waiter waiter, long now, Answers answers) {
        try {
            decideAbout(waiter, now, answers);
        } catch (RuntimeException | Error broken) {
            verdicts.refuse(waiter, RefusalReason.BACKEND_UNAVAILABLE, broken, now, answers);
        }
    }

    private void decideAbout(Waiter waiter, long now, Answers answers) {
        if (verdicts.refuseIfTooLarge(waiter, now, answers)) { // the limit has become smaller since it was checked
            return;
        }
        if (waiter.permits > 0 && queue.permitsAheadOfNewcomer() == 0 && verdicts.tryGrant(waiter, now, answers) == 0) {
            return;
        }
        if (!fitsItsMaxWait(waiter, now)) {
            verdicts.refuseForItsWait(waiter, now, answers);
        } else if (!makeRoomFor(waiter, now, answers)) {
            verdicts.refuse(waiter, RefusalReason.QUEUE_FULL, now, answers);
        } else if (waiter.beginToWait()) {
            link(waiter, answers);
        }
    }

    private boolean fitsItsMaxWait(Waiter waiter, long now) {
        if (!waiter.hasMaxWait()) {
            return true;
        }
        if (waiter.awaitsStoreOnly) {
            return isUndecided(waiter, now);
        }
        long from = waiter.sinceNanos - now > 0 ? waiter.sinceNanos : now; // it may have come after this pass began
        return isBoundByItsChain(waiter)
                ? fitsBehind(Ahead.NOTHING, waiter, waiter.nanosLeft(from), from) && fitsMaxWaitHere(waiter, from)
                : fitsBehind(othersAheadOf(waiter), waiter, waiter.nanosLeft(from), from);
    }

    /**
     * Where chains wait, those ahead may move on to other members and take nothing here. So the bound of a chain's request is too
     * short only if it would be with nobody ahead; for the bound of this limiter itself, as for its queue, all count.
     */
    private boolean isBoundByItsChain(Waiter waiter) {
        return waiter.isOfChain && waiter.mayWaitLess(source.terms().maxWaitNanos);
    }

    private boolean fitsMaxWaitHere(Waiter waiter, long from) {
        long longest = source.terms().maxWaitNanos;
        return longest == PermitEngine.UNBOUNDED
                || fitsBehind(othersAheadOf(waiter), waiter, longest - (from - waiter.sinceNanos), from);
    }

    private Ahead othersAheadOf(Waiter waiter) {
        return waiter.permits == 0 ? Ahead.NOTHING : queue.aheadOf(waiter);
    }

    private boolean fitsBehind(Ahead ahead, Waiter waiter, long leftNanos, long from) {
        return source.nanosAtLeast(ahead, Math.max(1, waiter.permits), from) <= leftNanos;
    }

    /** Behind another that must not be delayed it is decided about when that has its answer. */
    private boolean isUndecided(Waiter waiter, long now) {
        Waiter head = queue.permitsAheadOfNewcomer() == 0 ? null : queue.head();
        return head == null
                ? verdicts.isUndecided(waiter, now)
                : head.awaitsStoreOnly || verdicts.isUndecided(head, now);
    }

    private boolean makeRoomFor(Waiter waiter, long now, Answers answers) {
        if (queue.hasRoomFor(waiter) || waiter.permits == 0) {
            return true;
        }
        if (waiter.isSettled() || waiter.awaitsStoreOnly || !queue.mayEvictFor(waiter)) {
            return false;
        }
        for (Waiter oldest = queue.oldest(); oldest != null && !queue.hasRoomFor(waiter); oldest = queue.oldest()) {
            verdicts.refuse(oldest, RefusalReason.EVICTED, now, answers);
        }
        return true;
    }

    private void link(Waiter waiter, Answers answers) {
        room.add(waiter);
        if (source.terms().isObserved()) {
            answers.add(() -> source.terms().tellQueued(waiter.permits));
        }
    }
}
