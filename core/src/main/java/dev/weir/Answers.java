package dev.weir;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Decisions made inside the drain, to be told outside it: calls of user code, in order, with nothing held.
 *
 * <p>One thread tells its answers one after the other, also when telling one leads to further decisions on the same thread,
 * as when a listener closes a lease: those join the end of the line instead of being told from within the first, so that a
 * million waiters that release each other need no stack. Different threads tell theirs independently: a listener that blocks
 * keeps back only what its own thread had decided before.
 */
final class Answers {

    /** The line of the thread that is telling its answers; absent otherwise. */
    private static final ThreadLocal<@Nullable Queue<Runnable>> BEING_TOLD = new ThreadLocal<>();

    private @Nullable Queue<Runnable> calls;

    /** Has the observer told, then the one who asked. */
    void add(Runnable observed, Waiter waiter, Lease lease) {
        add(() -> {
            tell(observed);
            waiter.answer(lease);
        });
    }

    void add(Runnable call) {
        if (calls == null) {
            calls = new ArrayDeque<>();
        }
        calls.add(call);
    }

    void tell() {
        if (calls == null) {
            return;
        }
        Queue<Runnable> line = BEING_TOLD.get();
        if (line != null) {
            line.addAll(calls);
            return;
        }
        BEING_TOLD.set(calls);
        try {
            for (Runnable call = calls.poll(); call != null; call = calls.poll()) {
                tell(call);
            }
        } finally {
            BEING_TOLD.remove();
        }
    }

    /** Runs user code: what it throws concerns nobody but the thread it runs on. */
    static void tell(Runnable call) {
        try {
            call.run();
        } catch (Throwable thrown) {
            report(thrown);
        }
    }

    /** As {@link #tell(Runnable)}, for the path that allocates nothing. */
    static void tell(PermitListener listener, Lease lease) {
        try {
            listener.onLease(lease);
        } catch (Throwable thrown) {
            report(thrown);
        }
    }

    private static void report(Throwable thrown) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    }
}
