package dev.weir;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Answers that were decided inside a drain, to be delivered outside it: calls of user code, in order, without locks held.
 *
 * <p>A thread delivers its answers one after the other. If delivering one leads to further decisions on the same thread, because
 * a listener closes a lease or makes a request, those are appended to the queue instead of being delivered from within the first.
 * So a million requests that release each other, or listeners that make a new request each time, need no stack. Threads deliver
 * independently: a listener that blocks delays only what its own thread had decided before.
 *
 * <p>A direct listener that has waited may be all that a stream does downstream, for as long as that has elements and permits.
 * Those who are given permits there would wait for its end. So the thread goes on with the queue inside that listener, and only
 * what is decided inside another direct listener called from there is appended: the stack grows once.
 *
 * <p>The drain of a chain asks other limiters, which then have answers of their own on the same thread. These also join the queue
 * and are delivered after the drain has been left. Most drains ask no other limiter, and most passes have no answers: they do not
 * touch the thread-local.
 *
 * <p>What a member decides for a chain is no answer to a user, but a step: it makes the chain decide. Steps call no user code, so
 * nobody can hold them up. They are taken before any answer is delivered, as soon as no drain is under way on the thread, one
 * after the other; what they decide is queued.
 *
 * <p>The thread-local and the flags are a state machine of the thread. What happens to an answer, and to a step, in each state:
 *
 * <pre>
 *   state of the thread                     available inside acquire   decided by a drain    observer call   step of a chain
 *   absent: no entry                        now                        now                   now             now
 *   deciding: in a drain or step            queued                     queued                queued          queued
 *   telling: an entry, no deciding,         queued                     queued                now             now
 *     no tellsDirect
 *   direct: tellsDirect                     now; then what that        now, behind those     now             now
 *                                           listener led to            queued before
 *   within that: tellsDirect and            now; what that listener    queued                now             now
 *     isWithinDirect                        led to is queued
 * </pre>
 *
 * <p>"Now" for what is decided by a drain is when that drain has been left. An answer available inside acquire goes to a
 * {@link PermitListener.Direct} now in every state.
 */
final class Answers {

    /** The answers this thread is delivering, or collecting so that others may join them; absent otherwise. */
    private static final ThreadLocal<@Nullable Answers> OF_THREAD = new ThreadLocal<>();

    private @Nullable Queue<Runnable> calls;
    private @Nullable Queue<Runnable> steps;
    private @Nullable Answers outer;
    private boolean deciding;

    /** Whether a direct listener whose request waited is being called: see the table above. */
    private boolean tellsDirect;

    /** Whether the queue is being delivered inside a direct listener. */
    private boolean isWithinDirect;

    /** Called inside a drain before it asks other limiters; {@link #deliver} ends it. */
    void beginToDecide() {
        if (deciding) {
            return;
        }
        outer = OF_THREAD.get();
        deciding = true;
        OF_THREAD.set(this);
    }

    /** Adds calls to the observer and then to the requester, which may be a chain. */
    void add(Runnable observed, Waiter waiter, Lease lease) {
        if (!waiter.isOfChain) {
            add(() -> {
                tell(observed);
                waiter.answer(lease);
            });
            return;
        }
        add(observed);
        if (!waiter.answerWhileAsked(lease)) {
            addStep(() -> waiter.answer(lease));
        }
    }

    /** Adds a step of a chain, which calls no user code but foreign limiters. */
    void addStep(Runnable step) {
        if (steps == null) {
            steps = new ArrayDeque<>();
        }
        steps.add(step);
    }

    void add(Runnable call) {
        if (calls == null) {
            calls = new ArrayDeque<>();
        }
        calls.add(call);
    }

    /**
     * Takes the steps and delivers the answers, behind those this thread is already delivering, if any. Called after the drain has
     * been left.
     */
    void deliver() {
        if (deciding) {
            deciding = false;
            if (outer == null) {
                OF_THREAD.remove();
            } else {
                OF_THREAD.set(outer);
            }
        }
        if (calls == null && steps == null) {
            return;
        }
        Answers telling = OF_THREAD.get();
        if (telling == null) {
            OF_THREAD.set(this);
            deliverAll();
        } else {
            telling.join(this);
        }
    }

    /** Appends what a drain has decided while this thread is delivering, or while another drain or step is under way. */
    private void join(Answers decided) {
        if (decided.calls != null) {
            decided.calls.forEach(this::add);
        }
        if (decided.steps != null) {
            decided.steps.forEach(this::addStep);
        }
        if (!deciding) {
            takeSteps();
            goOnWithinDirect();
        }
    }

    /** Takes all steps, including those they lead to. Meanwhile all calls of user code are queued, as inside a drain. */
    private void takeSteps() {
        if (steps == null) {
            return;
        }
        deciding = true;
        try {
            while (!steps.isEmpty()) {
                runStep(steps.remove());
            }
        } finally {
            deciding = false;
        }
    }

    private void runStep(Runnable step) {
        try {
            step.run();
        } catch (Throwable thrown) {
            add(() -> report(thrown));
        }
    }

    /** Delivers all answers inside the direct listener that is being called, unless it was itself called so. */
    private void goOnWithinDirect() {
        if (!tellsDirect || isWithinDirect) {
            return;
        }
        isWithinDirect = true;
        tellsDirect = false;
        try {
            deliverCalls();
        } finally {
            tellsDirect = true;
            isWithinDirect = false;
        }
    }

    /** Takes all steps and delivers all answers; then this thread has none left. */
    private void deliverAll() {
        try {
            takeSteps();
            deliverCalls();
        } finally {
            OF_THREAD.remove();
        }
    }

    /** Delivers all answers, including those added meanwhile. */
    private void deliverCalls() {
        while (calls != null && !calls.isEmpty()) {
            runCall(calls.remove());
        }
    }

    /** Calls user code: now, unless this thread is inside a drain. */
    static void tell(Runnable call) {
        Answers current = OF_THREAD.get();
        if (current != null && current.deciding) {
            current.add(call);
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
        Answers telling = OF_THREAD.get();
        if (telling == null) {
            Answers ledTo = new Answers();
            OF_THREAD.set(ledTo);
            try {
                tellBoth(watched, listener, lease);
            } finally {
                ledTo.deliverAll();
            }
        } else if (telling.tellsDirect && !telling.deciding) {
            telling.tellsDirect = false;
            tellBoth(watched, listener, lease);
            telling.tellsDirect = true;
            telling.goOnWithinDirect();
        } else {
            telling.add(() -> tellBoth(watched, listener, lease));
        }
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

    /** Delivers a lease to the listener of a request that waited, which is a chain's inside a step. */
    static void tellAfterWait(PermitListener listener, Lease lease) {
        Answers telling = OF_THREAD.get();
        if (telling == null || telling.deciding) {
            listener.onLease(lease);
            return;
        }
        boolean before = telling.tellsDirect;
        telling.tellsDirect = listener instanceof PermitListener.Direct;
        try {
            listener.onLease(lease);
        } finally {
            telling.tellsDirect = before;
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
