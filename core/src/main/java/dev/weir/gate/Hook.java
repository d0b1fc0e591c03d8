package dev.weir.gate;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls the hooks of a framework where a gate must continue whatever they throw. */
final class Hook {

    private Hook() {}

    /** Calls a hook. An exception goes to the thread's uncaught exception handler, as it cannot be delivered otherwise. */
    static void call(Runnable hook) {
        try {
            hook.run();
        } catch (Throwable thrown) {
            Thread thread = Thread.currentThread();
            try {
                thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
            } catch (Throwable ofHandler) {
                // ignored, as the JVM does
            }
        }
    }

    /** Returns the error that a hook makes, or what the hook throws. There has to be one, or a stream would end as if all were well. */
    static Throwable error(Supplier<Throwable> hook) {
        Throwable made = errorIfAny(hook);
        return made == null ? new NullPointerException("The hook for errors returned null") : made;
    }

    /** The same of a hook that may make none. */
    static @Nullable Throwable errorIfAny(Supplier<@Nullable Throwable> hook) {
        try {
            return hook.get();
        } catch (Throwable thrown) {
            return thrown;
        }
    }
}
