package dev.weir;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One request that could not be answered at once. Its state moves by compare-and-set, and who moves it to an outcome answers
 * for the consequences:
 *
 * <pre>
 *                 drain                 drain: permits taken
 *   ARRIVING --------------> WAITING ------------------------> GRANTED
 *       |                      | | |
 *       |  (any of the three)  | | +--- drain: no room, too late, closed ---> REFUSED
 *       +----------------------+ |
 *                                +----- requester: cancel ------------------> CANCELLED
 * </pre>
 *
 * <p>A drain that took permits and then finds the request CANCELLED gives them back. A requester that cancels while WAITING
 * sends the waiter to the drain, which unlinks it; while ARRIVING there is nothing to unlink, and the drain skips it.
 */
final class Waiter implements PermitRequest {

    static final int ARRIVING = 0;
    static final int WAITING = 1;
    static final int GRANTED = 2;
    static final int REFUSED = 3;
    static final int CANCELLED = 4;

    private static final VarHandle STATE = stateHandle();

    final int permits;
    final long sinceNanos;

    final boolean isOfChain;

    private final long maxWaitNanos;
    private final PermitDrain drain;
    private @Nullable PermitListener listener;

    /** Links of the list the waiter stands in. Owned by the drain. */
    @Nullable
    Waiter older;

    @Nullable
    Waiter newer;

    boolean linked;

    /** Among those that may not wait for ever. Owned by the drain. */
    int number;

    /** Link of the stack that takes the waiter to the drain: on arrival, and once more when cancelled. */
    @Nullable
    Waiter onTheWay;

    private volatile int state = ARRIVING;

    Waiter(PermitDrain drain, int permits, long maxWaitNanos, long sinceNanos, PermitListener listener) {
        this.drain = drain;
        this.permits = permits;
        this.maxWaitNanos = maxWaitNanos;
        this.sinceNanos = sinceNanos;
        this.listener = listener;
        this.isOfChain = listener instanceof Place;
    }

    /** Tells whether this call made the request one that waits, rather than one that was cancelled on arrival. */
    boolean beginToWait() {
        return STATE.compareAndSet(this, ARRIVING, WAITING);
    }

    /** Tells whether this call brought about the outcome. */
    boolean settle(int outcome) {
        return leavePending(outcome) != outcome;
    }

    @Override
    public boolean cancel() {
        int left = leavePending(CANCELLED);
        if (left == CANCELLED) {
            return false;
        }
        listener = null;
        drain.cancelled(this, left == WAITING);
        return true;
    }

    /** Returns the pending state that this call ended, or the outcome if the request was settled before. */
    private int leavePending(int outcome) {
        for (int seen = state; seen <= WAITING; seen = state) {
            if (STATE.compareAndSet(this, seen, outcome)) {
                return seen;
            }
        }
        return outcome;
    }

    @Override
    public boolean isSettled() {
        return state > WAITING;
    }

    /** Returns what a chain has asked for by this, unless it has been settled. */
    @Nullable
    Place place() {
        return isOfChain ? (Place) listener : null;
    }

    boolean hasMaxWait() {
        return maxWaitNanos != PermitEngine.UNBOUNDED;
    }

    /** Returns how much longer this request may wait; negative when it should not have waited so long. */
    long nanosLeft(long nowNanos) {
        return maxWaitNanos - waitedNanos(nowNanos);
    }

    /** The same for a request that may wait for ever, too, and never negative. */
    long longestWaitNanos(long nowNanos) {
        return hasMaxWait() ? Math.max(0, nanosLeft(nowNanos)) : Long.MAX_VALUE;
    }

    /** Returns when a request that may not wait for ever runs out of time. */
    long deadlineNanos() {
        return sinceNanos + maxWaitNanos;
    }

    long waitedNanos(long nowNanos) {
        return Math.max(0, nowNanos - sinceNanos);
    }

    /** Passes the answer on where that calls nobody, as a chain is just asking. Tells whether that was so. */
    boolean answerWhileAsked(Lease lease) {
        Place place = place();
        boolean isAnswered = place != null && place.answerWhileAsked(lease);
        if (isAnswered) {
            listener = null;
        }
        return isAnswered;
    }

    /** Passes the answer on, once, by whoever settled the request; with nothing held. */
    void answer(Lease lease) {
        PermitListener told = listener;
        listener = null;
        if (told != null) {
            Answers.hand(told, lease);
        }
    }

    private static VarHandle stateHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(Waiter.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
