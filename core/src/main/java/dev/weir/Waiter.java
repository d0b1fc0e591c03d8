package dev.weir;

import dev.weir.handle.Handles;
import dev.weir.limit.WaitingRequest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A request that could not be answered at once. Its state changes by compare-and-set; the thread that moves it to an outcome is
 * responsible for the consequences:
 *
 * <pre>
 *                 drain                 drain: permits taken
 *   ARRIVING --------------> WAITING ------------------------> GRANTED
 *       |                      | | |
 *       |  (any of the three)  | | +--- drain: no room, too late, closed ---> REFUSED
 *       +----------------------+ |
 *                                +----- requester: cancel;
 *                                       drain: a chain's request moves on -> CANCELLED
 * </pre>
 *
 * <p>A drain that took permits and then finds the request CANCELLED gives them back. A requester that cancels while WAITING sends
 * the waiter to the drain, which unlinks it. While ARRIVING there is nothing to unlink, and the drain skips it.
 */
final class Waiter implements PermitRequest, WaitingRequest {

    static final int ARRIVING = 0;
    static final int WAITING = 1;
    static final int GRANTED = 2;
    static final int REFUSED = 3;
    static final int CANCELLED = 4;

    private static final VarHandle STATE =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(Waiter.class, "state", int.class));

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    final int permits;
    final long sinceNanos;

    /**
     * Orders requests whose times are equal by when they were made, at whatever limiters: compared by subtraction, as it wraps. Those
     * of a chain and those made at its members stand in the same queues, so one counter numbers them all.
     */
    final int number = NUMBERS.getAndIncrement();

    final boolean isOfChain;

    /** Whether this must not be delayed by the limit: its maximum wait is only for the answer of a store, to be granted or not. */
    final boolean awaitsStoreOnly;

    private final long maxWaitNanos;
    private final PermitDrain drain;

    /** Cleared when the request has left, to hold nothing; but for that of a chain, as others may be comparing its age at that moment. */
    private @Nullable PermitListener listener;

    /** Links of the list that contains the waiter. Owned by the drain. */
    @Nullable
    Waiter older;

    @Nullable
    Waiter newer;

    boolean linked;

    /** Whether its maximum wait is to be judged when a store that was being asked has answered. Owned by the drain. */
    boolean isToBeJudged;

    /** Link of the stack that takes the waiter to the drain: on arrival, and once more when cancelled. */
    @Nullable
    Waiter onTheWay;

    private volatile int state = ARRIVING;

    Waiter(
            PermitDrain drain,
            int permits,
            long maxWaitNanos,
            boolean awaitsStoreOnly,
            long sinceNanos,
            PermitListener listener) {
        this.drain = drain;
        this.permits = permits;
        this.maxWaitNanos = maxWaitNanos;
        this.awaitsStoreOnly = awaitsStoreOnly;
        this.sinceNanos = sinceNanos;
        this.listener = listener;
        this.isOfChain = listener instanceof MemberRequest;
    }

    @Override
    public int permits() {
        return permits;
    }

    @Override
    public @Nullable WaitingRequest next() {
        return newer;
    }

    /** Moves the request to WAITING. Returns false if it was cancelled on arrival. */
    boolean beginToWait() {
        return STATE.compareAndSet(this, ARRIVING, WAITING);
    }

    /** Moves the request to an outcome. Returns whether this call did so. */
    boolean settle(int outcome) {
        return leavePending(outcome) != outcome;
    }

    @Override
    public boolean cancel() {
        int left = leavePending(CANCELLED);
        if (left == CANCELLED) {
            return false;
        }
        clearListener();
        drain.cancelled(this, left == WAITING);
        return true;
    }

    /** Returns the pending state that this call ended, or {@code outcome} itself if the request was settled before. */
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

    /** Returns the chain's request that this waiter stands for, or null if there is none. */
    @Nullable
    MemberRequest memberRequest() {
        return isOfChain ? (MemberRequest) listener : null;
    }

    boolean hasMaxWait() {
        return mayWaitLess(PermitEngine.UNBOUNDED);
    }

    boolean mayWaitLess(long nanos) {
        return maxWaitNanos < nanos;
    }

    /** Returns that time, or when this request came, if it did so after a pass had read the clock: nothing is decided as of before. */
    long asOf(long nowNanos) {
        return sinceNanos - nowNanos > 0 ? sinceNanos : nowNanos;
    }

    /**
     * Returns how long after that time this request may still wait; negative if its time is exceeded. If the request came after a pass
     * had read the clock, this is more than its maximum wait, which counts from when the request came.
     */
    long nanosLeft(long nowNanos) {
        long waited = nowNanos - sinceNanos;
        long left = maxWaitNanos - waited;
        return waited < 0 && left < 0 ? Long.MAX_VALUE : left;
    }

    /** Returns how much longer it may wait for permits: never negative, {@link Long#MAX_VALUE} without a maximum wait. */
    long longestWaitNanos(long nowNanos) {
        if (awaitsStoreOnly) {
            return 0;
        }
        return hasMaxWait() ? Math.max(0, nanosLeft(nowNanos)) : Long.MAX_VALUE;
    }

    /** Returns the deadline of a request with a maximum wait. */
    long deadlineNanos() {
        return sinceNanos + maxWaitNanos;
    }

    long waitedNanos(long nowNanos) {
        return Math.max(0, nowNanos - sinceNanos);
    }

    /** Delivers the answer without calling user code, if a chain is asking right now. Returns whether that was so. */
    boolean answerWhileAsked(Lease lease) {
        MemberRequest memberRequest = memberRequest();
        return memberRequest != null && memberRequest.answerWhileAsked(lease);
    }

    /** Delivers the answer, once, on the thread that settled the request, without locks held. */
    void answer(Lease lease) {
        PermitListener told = listener;
        clearListener();
        if (told != null) {
            Delivery.tellAfterWait(told, lease);
        }
    }

    private void clearListener() {
        if (!isOfChain) {
            listener = null;
        }
    }
}
