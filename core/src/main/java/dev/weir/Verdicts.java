package dev.weir;

import dev.weir.limit.PermitPolicy;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Grants or refuses a waiting request, and adds the answer to those to be delivered. Used inside the drain only. */
final class Verdicts {

    private final PermitSource source;
    private final Pause pause;
    private final Unsettled unsettled;
    private final WaitingRoom room;

    /**
     * Whether this drain has asked for permits since it last cancelled the reservations. If not, there may be others than its own:
     * those of a drain that has replaced this one.
     */
    private boolean hasAsked;

    Verdicts(PermitSource source, Pause pause, Unsettled unsettled, WaitingRoom room) {
        this.source = source;
        this.pause = pause;
        this.unsettled = unsettled;
        this.room = room;
    }

    /** Refuses a waiter that can never be granted under the present limit. Returns whether it is one. */
    boolean refuseIfTooLarge(Waiter waiter, long now, Answers answers) {
        boolean isTooLarge = isTooLarge(waiter);
        if (isTooLarge) {
            refuse(waiter, RefusalReason.EXHAUSTED, now, answers);
        }
        return isTooLarge;
    }

    /** If this fails, the next take reports why. */
    private boolean isTooLarge(Waiter waiter) {
        try {
            return waiter.permits > source.capacity();
        } catch (Throwable broken) {
            return false;
        }
    }

    /**
     * Returns zero if the waiter has been granted or is otherwise settled; otherwise how long it has to wait. What it takes is taken as
     * of when it came, if that is after now: a permit that seems to have gone before would be back too early.
     */
    long tryGrant(Waiter waiter, long now, Answers answers) {
        long pauseLeft = pause.nanosLeft(now);
        if (pauseLeft > 0 && !waiter.isSettled()) {
            return pauseLeft;
        }
        long from = waiter.asOf(now);
        long wait = tryGrantAsOf(from, waiter, answers);
        return wait > 0 ? Pause.andThen(from - now, wait) : wait;
    }

    private long tryGrantAsOf(long now, Waiter waiter, Answers answers) {
        try {
            long wait = waiter.isSettled() ? PermitPolicy.TAKEN : takeFor(waiter, now, answers);
            Throwable failure = wait > 0 ? source.failure(now) : null;
            if (failure != null) {
                refuse(waiter, RefusalReason.BACKEND_UNAVAILABLE, failure, now, answers);
            } else if (wait > 0) {
                return wait;
            }
            room.remove(waiter);
        } catch (Throwable broken) {
            refuse(waiter, RefusalReason.BACKEND_UNAVAILABLE, broken, now, answers);
        }
        return 0;
    }

    /** Returns whether a waiter that has to wait that long is to be refused. */
    boolean isTooLong(Waiter waiter, long wait, long now) {
        if (waiter.awaitsStoreOnly) {
            return !isUndecided(waiter, now);
        }
        return wait != PermitPolicy.AWAIT_SIGNAL && waiter.hasMaxWait() && wait > waiter.nanosLeft(now);
    }

    /** Returns whether the first waiter may have to wait only until a store has answered. */
    boolean isUndecided(Waiter first, long now) {
        return !pause.isOn(now) && isStoreAskedFor(first, now);
    }

    /**
     * Returns whether a store is being asked, and has yet to say how long the first waiter has to wait. Unlike
     * {@link #isUndecided}, this is also true during a pause, which makes it wait whatever the store says.
     */
    boolean isStoreAskedFor(Waiter first, long now) {
        return source.nanosUntilDecided(first.permits, now) > 0;
    }

    /** Returns how long the waiter has to wait; zero or less if it has its answer. */
    private long takeFor(Waiter waiter, long now, Answers answers) {
        int permits = waiter.permits;
        hasAsked = true;
        MemberRequest memberRequest = waiter.memberRequest();
        if (memberRequest != null) {
            memberRequest.mayHold(true);
        }
        long wait = source.tryTake(waiter, unsettled.permits(), now);
        if (wait == PermitSource.REFUSED) {
            answerRefused(waiter, () -> source.refusal(permits), answers);
        } else if (wait == PermitPolicy.TAKEN) {
            taken(waiter, now, answers);
        } else if (memberRequest != null) {
            memberRequest.mayHold(false);
        }
        return wait;
    }

    /** No request of a kind is to be served at present: undoes what was arranged for the last one. */
    void cancelReservations(boolean ofHead, boolean ofProbes) {
        if (hasAsked) {
            hasAsked = !ofHead || !ofProbes;
            source.cancelReservations(ofHead, ofProbes);
        }
    }

    private void taken(Waiter waiter, long now, Answers answers) {
        MemberRequest memberRequest = waiter.memberRequest();
        if (memberRequest != null && !mayGo(memberRequest, waiter.permits, now, answers)) {
            moveOn(waiter, memberRequest, now, answers);
        } else if (waiter.settle(Waiter.GRANTED)) {
            unsettled.remove(waiter);
            Lease lease = source.countGranted(waiter.permits, now);
            answers.add(
                    () -> source.terms().tellAcquired(waiter.permits, waiter.waitedNanos(now), lease.source()),
                    waiter,
                    lease);
        } else {
            try {
                source.untake(waiter.permits, now);
            } finally {
                if (memberRequest != null) {
                    memberRequest.dropRest();
                }
            }
        }
    }

    /** Returns whether the requesting chain has the permits of its other members; if not, this one is given back at once. */
    private boolean mayGo(MemberRequest memberRequest, int permits, long now, Answers answers) {
        answers.beginToDecide();
        boolean mayGo = false;
        try {
            mayGo = memberRequest.completes();
        } finally {
            if (!mayGo) {
                source.untake(permits, now);
            }
        }
        return mayGo;
    }

    /** The request leaves this queue and waits for another limiter from now on, so the next one may be granted. */
    private void moveOn(Waiter waiter, MemberRequest memberRequest, long now, Answers answers) {
        if (waiter.settle(Waiter.CANCELLED)) {
            unsettled.remove(waiter);
            answers.add(() -> source.terms().tellCancelled(waiter.permits, waiter.waitedNanos(now)));
            if (!memberRequest.moveOnWhileAsked()) {
                answers.addStep(memberRequest::moveOn);
            }
        }
    }

    /** Refuses a waiter that may not wait any longer. */
    void refuseForItsWait(Waiter waiter, long now, Answers answers) {
        refuseForItsWait(waiter, PermitPolicy.AWAIT_SIGNAL, now, answers);
    }

    /** The same for a waiter that would have to wait that long, as far as that is known. */
    void refuseForItsWait(Waiter waiter, long wait, long now, Answers answers) {
        RefusalReason reason =
                waiter.awaitsStoreOnly ? Pause.pausedOrExhausted(pause.nanosLeft(now)) : RefusalReason.MAX_WAIT;
        long atLeast = waiter.awaitsStoreOnly && wait != PermitPolicy.AWAIT_SIGNAL ? wait : 0;
        refuse(waiter, reason, null, atLeast, now, answers);
    }

    /** Refuses a waiter, unless it is settled already, and removes it. */
    void refuse(Waiter waiter, RefusalReason reason, long now, Answers answers) {
        refuse(waiter, reason, null, now, answers);
    }

    /** The same, with the cause; null for no cause but the limit. */
    void refuse(Waiter waiter, RefusalReason reason, @Nullable Throwable cause, long now, Answers answers) {
        refuse(waiter, reason, cause, 0, now, answers);
    }

    private void refuse(
            Waiter waiter,
            RefusalReason reason,
            @Nullable Throwable cause,
            long atLeastNanos,
            long now,
            Answers answers) {
        // If the clock has stepped back since the request came, the pause would seem to be over then.
        long from = pause.isOn(now) ? now : waiter.asOf(now);
        Supplier<Lease> refusal = () -> {
            long retry = Math.max(atLeastNanos - (from - now), nanosUntilRetry(waiter, reason, from));
            return source.countRefused(waiter, reason, cause, retry, from);
        };
        answerRefused(waiter, refusal, answers);
        room.remove(waiter);
    }

    private void answerRefused(Waiter waiter, Supplier<Lease> refusal, Answers answers) {
        if (waiter.settle(Waiter.REFUSED)) {
            unsettled.remove(waiter);
            Lease lease = refusal.get();
            answers.add(() -> source.terms().tellRefused(lease), waiter, lease);
        }
    }

    private long nanosUntilRetry(Waiter waiter, RefusalReason reason, long now) {
        try {
            return reason == RefusalReason.CLOSED
                    ? PermitEngine.UNBOUNDED
                    : source.nanosUntilRetry(waiter.permits, now);
        } catch (Throwable broken) {
            return PermitEngine.UNBOUNDED; // the refusal must be delivered all the same
        }
    }
}
