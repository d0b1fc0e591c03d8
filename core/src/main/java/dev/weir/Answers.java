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
 * touch the thread-local, which would be a fifth of the cost of a wait.
 *
 * <p>The thread-local and the flags are a state machine of the thread. What happens to an answer in each state:
 *
 * <pre>
 *   state of the thread              available inside acquire     decided by a drain    observer call
 *   absent (no entry)                now                          now                   now
 *   deciding (inside a drain)        queued                       queued                queued
 *   telling (a queue is delivered)   queued                       queued                now
 *   telling a direct listener        now; what that listener      now, behind those     now
 *                                    asks for is queued           queued before
 *   and another within that          now; what that listener      queued                now
 *                                    asks for is queued
 * </pre>
 *
 * <p>"Now" for an answer decided by a drain is when that drain has been left. An answer available inside acquire goes to a
 * {@link PermitListener.Direct} now in every state.
 */
final class Answers {

    /** The answers this thread is delivering, or collecting so that others may join them; absent otherwise. */
    private static final ThreadLocal<@Nullable Answers> OF_THREAD = new ThreadLocal<>();

    private @Nullable Queue<Runnable> line;
    private @Nullable Answers outer;
    private boolean deciding;

    /** Whether a direct listener whose request waited is being called: see the table above. */
    private boolean tellsDirect;

    /** Whether the queue is being delivered inside a direct listener. */
    private boolean isWithinDirect;

    /** Called inside a drain before it asks other limiters; {@link #tell()} ends it. */
    void beginToDecide() {
        if (deciding) {
            return;
        }
        outer = OF_THREAD.get();
        deciding = true;
        OF_THREAD.set(this);
    }

    /** Adds calls to the observer and then to the requester. */
    void add(Runnable observed, Waiter waiter, Lease lease) {
        if (waiter.answerWhileAsked(lease)) {
            add(observed);
            return;
        }
        add(() -> {
            tell(observed);
            waiter.answer(lease);
        });
    }

    void add(Runnable call) {
        if (line == null) {
            line = new ArrayDeque<>();
        }
        line.add(call);
    }

    /** Delivers the answers, behind those this thread is already delivering, if any. Called after the drain has been left. */
    void tell() {
        if (deciding) {
            deciding = false;
            if (outer == null) {
                OF_THREAD.remove();
            } else {
                OF_THREAD.set(outer);
            }
        }
        if (line == null) {
            return;
        }
        Answers telling = OF_THREAD.get();
        if (telling == null) {
            OF_THREAD.set(this);
            tellLine();
        } else {
            line.forEach(telling::add);
            telling.goOnWithinDirect();
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
            tellAll();
        } finally {
            tellsDirect = true;
            isWithinDirect = false;
        }
    }

    /** Delivers all answers; then this thread has none left. */
    private void tellLine() {
        try {
            tellAll();
        } finally {
            OF_THREAD.remove();
        }
    }

    /** Delivers all answers, including those added meanwhile. */
    private void tellAll() {
        while (line != null && !line.isEmpty()) {
            run(line.remove());
        }
    }

    /** Calls user code: now, unless this thread is inside a drain. */
    static void tell(Runnable call) {
        Answers current = OF_THREAD.get();
        if (current != null && current.deciding) {
            current.add(call);
        } else {
            run(call);
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
                ledTo.tellLine();
            }
        } else if (telling.tellsDirect) {
            telling.tellsDirect = false;
            tellBoth(watched, listener, lease);
            telling.tellsDirect = true;
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

    /** Delivers a lease to the listener of a request that waited. */
    static void hand(PermitListener listener, Lease lease) {
        Answers telling = OF_THREAD.get();
        if (telling == null) {
            listener.onLease(lease);
            return;
        }
        boolean before = telling.tellsDirect;
        telling.tellsDirect =
                listener instanceof PermitListener.Direct && !(listener instanceof Place); // calls no user code
        try {
            listener.onLease(lease);
        } finally {
            telling.tellsDirect = before;
        }
    }

    /** What user code throws is reported to the thread it runs on and stops nothing else. */
    private static void run(Runnable call) {
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
