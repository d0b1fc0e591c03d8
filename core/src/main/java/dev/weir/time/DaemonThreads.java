package dev.weir.time;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates daemon threads, which neither keep the JVM alive nor retain the application of their first user. */
final class DaemonThreads implements ThreadFactory {

    private final String prefix;
    private final AtomicInteger count = new AtomicInteger();

    private DaemonThreads(String prefix) {
        this.prefix = prefix;
    }

    static ThreadFactory named(String prefix) {
        return new DaemonThreads(prefix);
    }

    @Override
    public Thread newThread(Runnable task) {
        // If inherited, thread locals and class loader would pin whichever application happened to wait first.
        Thread thread = new Thread(null, task, prefix + count.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
        return thread;
    }

    /** Runs a task on a thread that must continue whatever the task throws. */
    static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable thrown) {
            report(thrown);
        }
    }

    private static void report(Throwable thrown) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        } catch (Throwable ofHandler) {
            // ignored, as the JVM does
        }
    }
}
