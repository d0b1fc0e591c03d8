package dev.weir;

/**
 * Decides what happens to a new request: it is granted at once, waits, or is refused. If a store is being asked then, whether its maximum
 * wait is long enough is decided by the answer. Used inside the drain only.
 */
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
        } catch (Throwable broken) {
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
        waiter.isToBeJudged = isToBeJudged(waiter, now); // asked first: an answer may come just now
        if (!fitsItsMaxWait(waiter, now)) {
            verdicts.refuseForItsWait(waiter, now, answers);
        } else if (!makeRoomFor(waiter, now, answers)) {
            verdicts.refuse(waiter, RefusalReason.QUEUE_FULL, now, answers);
        } else if (waiter.beginToWait()) {
            link(waiter, answers);
        }
    }

    private boolean fitsItsMaxWait(Waiter waiter, long now) {
        if (!waiter.hasMaxWait() || source.isJudgedWhereItWaits(waiter)) {
            return true;
        }
        return waiter.awaitsStoreOnly
                ? mayWaitForStore(waiter, now)
                : fitsBehind(waiter.permits == 0 ? Ahead.NOTHING : queue.aheadOf(waiter), waiter, now);
    }

    private boolean fitsBehind(Ahead others, Waiter waiter, long now) {
        long from = waiter.asOf(now);
        return isBoundByItsChain(waiter)
                ? takesAtMost(waiter.nanosLeft(from), Ahead.NOTHING, waiter, from)
                        && fitsMaxWaitHere(others, waiter, from)
                : takesAtMost(waiter.nanosLeft(from), others, waiter, from);
    }

    /**
     * Where chains wait, those ahead may move on to other members and take nothing here. So the bound of a chain's request is too
     * short only if it would be with nobody ahead; for the bound of this limiter itself, as for its queue, all count.
     */
    private boolean isBoundByItsChain(Waiter waiter) {
        return waiter.isOfChain && waiter.mayWaitLess(source.terms().maxWaitNanos);
    }

    private boolean fitsMaxWaitHere(Ahead others, Waiter waiter, long from) {
        long longest = source.terms().maxWaitNanos;
        return longest == PermitEngine.UNBOUNDED
                || takesAtMost(longest - (from - waiter.sinceNanos), others, waiter, from);
    }

    private boolean takesAtMost(long leftNanos, Ahead ahead, Waiter waiter, long from) {
        return source.nanosAtLeast(ahead, Math.max(1, waiter.permits), from) <= leftNanos;
    }

    /**
     * Returns whether a request that must not be delayed may still wait for the answer of a store. Behind another such request, it is
     * decided about once that one has its answer.
     */
    private boolean mayWaitForStore(Waiter waiter, long now) {
        Waiter first = firstWith(waiter);
        return (first != waiter && first.awaitsStoreOnly) || verdicts.isUndecided(first, now);
    }

    /** Returns the request that a store is asked for if a newcomer waits. */
    private Waiter firstWith(Waiter newcomer) {
        Waiter head = queue.permitsAheadOfNewcomer() == 0 ? null : queue.head();
        return head == null ? newcomer : head;
    }

    /**
     * Returns whether the maximum wait of a request can be judged only once a store has answered: the store is being asked for the
     * first request, and its answer says how long those behind that one have to wait. A probe is behind none: the store is asked
     * about it separately.
     */
    private boolean isToBeJudged(Waiter waiter, long now) {
        return waiter.permits > 0
                && waiter.hasMaxWait()
                && !waiter.awaitsStoreOnly
                && verdicts.isStoreAskedFor(firstWith(waiter), now);
    }

    /**
     * Once a store has said how long the first request has to wait, judges those behind it that came before that, as if they came now:
     * from the oldest on, as one that is refused keeps no other waiting. Those that must not be delayed do not, either, and go first.
     */
    void judgeBehind(Waiter first, long now, Answers answers) {
        boolean mayBeTime = room.hasAnyToBeJudged() && !room.hasAnyForStoreOnly();
        boolean isTime = mayBeTime && !verdicts.isStoreAskedFor(first, now);
        Waiter waiter = isTime ? room.oldestToBeJudged() : null;
        Ahead ahead = waiter == null ? Ahead.NOTHING : queue.aheadOfWaiting(waiter);
        while (waiter != null) {
            Waiter newer = waiter.newer;
            boolean isOpen = waiter.isToBeJudged && waiter != first;
            room.judged(waiter);
            if (!isOpen || !refuseIfTooLate(ahead, waiter, now, answers)) {
                ahead = queue.aheadOfNext(ahead, waiter);
            }
            waiter = newer;
        }
    }

    private boolean refuseIfTooLate(Ahead ahead, Waiter waiter, long now, Answers answers) {
        try {
            boolean fits = fitsBehind(ahead, waiter, now);
            if (!fits) {
                verdicts.refuseForItsWait(waiter, now, answers);
            }
            return !fits;
        } catch (Throwable broken) {
            verdicts.refuse(waiter, RefusalReason.BACKEND_UNAVAILABLE, broken, now, answers);
            return true;
        }
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
