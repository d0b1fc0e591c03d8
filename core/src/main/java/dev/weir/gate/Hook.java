package dev.weir.gate;

/** How the hooks of a framework are called where a gate must go on whatever they do. */
final class Hook {

    private Hook() {}

    /** Calls a hook; what it throws is for the thread, as there is nobody else to tell. */
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
}
