package dev.weir.testkit;

import java.util.List;

/** Catches what user code throws and the limiter hands to the thread's handler. */
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
