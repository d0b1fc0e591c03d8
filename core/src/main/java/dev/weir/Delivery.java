package dev.weir;

import org.jspecify.annotations.Nullable;

/** Delivers answers on one thread: calls user code in the order of the decisions, one call after the other, without locks held. */
final class Delivery {

    /*
     * No recursion. If delivering an answer leads to further decisions on the same thread, because a listener closes a lease or
     * makes a request, those are queued instead of being delivered from within the first. So a million requests that release each
     * other, or listeners that make a new request each time, need no stack. Threads deliver independently: a listener that blocks
     * delays only what its own thread had decided before.
     *
     * Direct listeners. One that has waited may be all that a stream does downstream, for as long as that has elements and permits.
     * Those who are given permits there would wait for its end. So the thread goes on with the queue inside that listener. It does
     * so once: what is decided inside another direct listener, called from there, is only queued.
     *
     * Drains. The drain of a chain asks other limiters, which then have answers of their own on the same thread. These join the
     * answers of that drain and are delivered after it has been left. Most drains ask no other limiter, and most passes have no
     * answers: they do not touch the thread-local.
     *
     * Steps. What a member decides for a chain is no answer to a user, but a step: it makes the chain decide. Steps call no user
     * code, so nobody can hold them up. They are taken before any answer is delivered, as soon as no drain is under way on the
     * thread, one after the other; what they decide is queued.
     *
     * What happens to an answer, to a call of an observer and to a step, in each state of the thread:
     *
     *   state                     available inside acquire   decided by a drain   observer call   step of a chain
     *   no delivery               now, as TELLING            now, as TELLING      now             now
     *   DECIDING                  queued                     queued               queued          queued
     *   TELLING, TELLING_INSIDE   queued                     queued               now             now
     *   DIRECT                    now, as TELLING; then      now, behind those    now             now
     *                             all that is queued         queued before
     *   DIRECT_INSIDE             now, as TELLING            queued               now             now
     *
     * "Now" for what is decided by a drain is when that drain has been left. An answer available inside acquire goes to a
     * PermitListener.Direct now in every state, and leaves the state as it is. A step is taken in the state DECIDING.
     */

    private enum State {

        /** Inside a drain that asks other limiters, or in a step of a chain. */
        DECIDING,

        /** Delivers what is queued, or an answer that is available inside acquire. */
        TELLING,

        /** Calls a direct listener that has waited. */
        DIRECT,

        /** Delivers what is queued, inside that listener. */
        TELLING_INSIDE,

        /** Calls another direct listener that has waited, inside the first. */
        DIRECT_INSIDE;

        boolean isDirect() {
            return this == DIRECT || this == DIRECT_INSIDE;
        }

        /** Returns the state in which a direct listener that has waited is called. In a step that is a chain's: the state stays. */
        State callingDirect() {
            if (this == TELLING) {
                return DIRECT;
            }
            return this == TELLING_INSIDE ? DIRECT_INSIDE : this;
        }
    }

    private static final ThreadLocal<@Nullable Delivery> OF_THREAD = new ThreadLocal<>();

    /** The delivery of this thread before a drain began to decide here; null if there was none. */
    private final @Nullable Delivery outer;

    private State state;

    /** Those of the drain that decides here, or those to be delivered; null before there are any. */
    private @Nullable Answers queued;

    /** Whether it is the thread's no longer, though it may still be found there if the stack has overflowed at the end. */
    private boolean isOver;

    private Delivery(@Nullable Delivery outer, State state, @Nullable Answers queued) {
        this.outer = outer;
        this.state = state;
        this.queued = queued;
    }

    /** Lets all that is decided on this thread join those answers, until {@link #endToDecide}. */
    static Delivery beginToDecide(Answers answers) {
        return begin(current(), State.DECIDING, answers);
    }

    /** Returns the delivery of this thread, or null. */
    private static @Nullable Delivery current() {
        Delivery found = OF_THREAD.get();
        while (found != null && found.isOver) {
            found = found.outer;
        }
        return found;
    }

    private static Delivery begin(@Nullable Delivery outer, State state, @Nullable Answers queued) {
        Delivery delivery = new Delivery(outer, state, queued);
        OF_THREAD.set(delivery);
        return delivery;
    }

    /** Delivers what has been decided since {@link #beginToDecide}, as {@link #deliver} does. */
    void endToDecide() {
        if (outer == null) {
            state = State.TELLING;
            deliverAll();
        } else {
            isOver = true;
            OF_THREAD.set(outer);
            deliver(queue());
        }
    }

    /** Takes the steps and delivers the answers, behind those this thread is already delivering, if any. */
    static void deliver(Answers decided) {
        if (decided.isEmpty()) {
            return;
        }
        Delivery current = current();
        if (current == null) {
            begin(null, State.TELLING, decided).deliverAll();
        } else {
            current.join(decided);
        }
    }

    /** Calls an observer: now, unless this thread is deciding. */
    static void tell(Runnable call) {
        Delivery current = current();
        if (current != null && current.state == State.DECIDING) {
            current.queue().add(call);
        } else {
            runCall(call);
        }
    }

    /** Delivers an answer that is available inside the call that asks for it, to the observer and then to the listener. */
    static void tellAtOnce(@Nullable Terms watched, PermitListener listener, Lease lease) {
        if (listener instanceof PermitListener.Direct) {
            tellBoth(watched, listener, lease);
            return;
        }
        Delivery current = current();
        if (current == null) {
            Delivery delivery = begin(null, State.TELLING, null);
            try {
                tellBoth(watched, listener, lease);
            } finally {
                delivery.deliverAll();
            }
        } else if (current.state.isDirect()) {
            current.tellInsideDirect(watched, listener, lease);
        } else {
            current.queue().add(() -> tellBoth(watched, listener, lease));
        }
    }

    /** Delivers a lease to the listener of a request that waited, which is a chain's inside a step. */
    static void tellAfterWait(PermitListener listener, Lease lease) {
        Delivery current = listener instanceof PermitListener.Direct ? current() : null;
        if (current == null) {
            listener.onLease(lease);
        } else {
            current.tellDirect(listener, lease);
        }
    }

    private void tellDirect(PermitListener listener, Lease lease) {
        State before = state;
        state = before.callingDirect();
        try {
            listener.onLease(lease);
        } finally {
            state = before;
        }
    }

    /** Delivers an answer inside a direct listener that is being called; inside the first such listener, then all that is queued. */
    private void tellInsideDirect(@Nullable Terms watched, PermitListener listener, Lease lease) {
        State before = state;
        state = State.TELLING;
        try {
            tellBoth(watched, listener, lease);
        } finally {
            state = before;
        }
        goOnInsideDirect();
    }

    /** Queues what a drain has decided, and goes on with the queue where that may be done at once. */
    private void join(Answers decided) {
        queue().addAll(decided);
        if (state != State.DECIDING) {
            takeSteps();
            goOnInsideDirect();
        }
    }

    /** Delivers all answers inside the direct listener that is being called, unless it was itself called so. */
    private void goOnInsideDirect() {
        if (state != State.DIRECT) {
            return;
        }
        state = State.TELLING_INSIDE;
        try {
            deliverCalls();
        } finally {
            state = State.DIRECT;
        }
    }

    /** Takes all steps and delivers all answers; then this thread has none left. */
    private void deliverAll() {
        try {
            takeSteps();
            deliverCalls();
        } finally {
            isOver = true;
            OF_THREAD.remove();
        }
    }

    /** Takes all steps, including those they lead to. */
    private void takeSteps() {
        if (queued == null) {
            return;
        }
        State before = state;
        state = State.DECIDING;
        try {
            while (queued.hasSteps()) {
                runStep(queued.nextStep());
            }
        } finally {
            state = before;
        }
    }

    private void runStep(Runnable step) {
        try {
            step.run();
        } catch (Throwable thrown) {
            queue().add(() -> report(thrown));
        }
    }

    /** Delivers all answers, including those added meanwhile. */
    private void deliverCalls() {
        while (queued != null && queued.hasCalls()) {
            runCall(queued.nextCall());
        }
    }

    private Answers queue() {
        if (queued == null) {
            queued = new Answers();
        }
        return queued;
    }

    private static void tellBoth(@Nullable Terms watched, PermitListener listener, Lease lease) {
        if (watched != null) {
            watched.tell(lease);
        }
        try {
            listener.onLease(lease);
        } catch (Throwable thrown) {
            report(thrown);
        }
    }

    /** What user code throws is reported to the thread it runs on and stops nothing else. */
    private static void runCall(Runnable call) {
        try {
            call.run();
        } catch (Throwable thrown) {
            report(thrown);
        }
    }

    private static void report(Throwable thrown) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        } catch (Throwable ofHandler) {
            // ignored, as the JVM does: the remaining answers have been decided and must be delivered
        }
    }
}
