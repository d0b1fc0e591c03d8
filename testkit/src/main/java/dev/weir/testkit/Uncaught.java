package dev.weir.testkit;

import java.util.List;

/** Collects exceptions of user code that the limiter passes to the thread's uncaught exception handler. */
final class Uncaught {

    private Uncaught() {}

    static void during(List<Throwable> uncaught, Runnable action) {
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
        thread.setUncaughtExceptionHandler((where, thrown) -> uncaught.add(thrown));
        try {
            action.run();
        } finally {
            thread.setUncaughtExceptionHandler(before);
        }
    }
}
