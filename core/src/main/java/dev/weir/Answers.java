package dev.weir;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Decisions made inside the drain, to be told outside it: calls of user code, in order, with nothing held.
 *
 * <p>One thread tells its answers one after the other, also when telling one leads to further decisions on the same thread,
 * as when a listener closes a lease or asks again: those join the end of the line instead of being told from within the first, so
 * that a million that release each other, or ask again when they are told, need no stack. Different threads tell theirs
 * independently: a listener that blocks keeps back only what its own thread had decided before.
 *
 * <p>The drain of a chain asks other limiters, which then have answers of their own on the same thread. These, too, join the
 * line and are told when the drain has been left. Most drains ask nobody, and most passes have nothing to tell: they leave no
 * trace in the thread, as that would be a fifth of what it costs to wait.
 */
final class Answers {

    /** Those of this thread that are being told, or collected where others may join them; absent otherwise. */
    private static final ThreadLocal<@Nullable Answers> OF_THREAD = new ThreadLocal<>();

    private @Nullable Queue<Runnable> line;
    private @Nullable Answers outer;
    private boolean deciding;

    /** Whether a direct one who waited is being told: what is asked from within is then told at once, and not what that asks for. */
    private boolean tellsDirect;

    /** To be called inside a drain before it asks other limiters; {@link #tell()} ends it. */
    void beginToDecide() {
        if (deciding) {
            return;
        }
        outer = OF_THREAD.get();
        deciding = true;
        OF_THREAD.set(this);
    }

    /** Has the observer told, then the one who asked. */
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

    /** To be called when the drain has been left. */
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
        }
    }

    /** Tells all that there is, and what that leads to: the last that this thread has to tell. */
    private void tellLine() {
        try {
            while (line != null && !line.isEmpty()) {
                run(line.remove());
            }
        } finally {
            OF_THREAD.remove();
        }
    }

    /** Calls user code, at once unless this thread is inside a drain. */
    static void tell(Runnable call) {
        Answers current = OF_THREAD.get();
        if (current != null && current.deciding) {
            current.add(call);
        } else {
            run(call);
        }
    }

    /** Tells who asked and is answered at once; whoever watches, right before. */
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

    /** Hands a lease to who waited for it. */
    static void hand(PermitListener listener, Lease lease) {
        Answers telling = OF_THREAD.get();
        if (telling == null) {
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

    /** What user code throws concerns nobody but the thread it runs on. */
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
            // ignored, as the JVM does: others in the line have been granted and are to hear of it
        }
    }
}
