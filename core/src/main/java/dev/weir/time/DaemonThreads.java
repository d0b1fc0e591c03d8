package dev.weir.time;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

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
        return withoutCallers(() -> create(task));
    }

    /**
     * Creates a thread that does not know who is calling. Up to JDK 23 a thread keeps the protection domains, and so the class
     * loaders, of all classes on the stack that creates it, down to a privileged call. Later JDKs have no need of that call.
     */
    @SuppressWarnings("removal")
    private static Thread withoutCallers(Supplier<Thread> creation) {
        try {
            return AccessController.doPrivileged((PrivilegedAction<Thread>) creation::get);
        } catch (NoClassDefFoundError removed) {
            return creation.get();
        }
    }

    /** Inherits nothing: thread locals, class loader or group would pin whichever application happened to wait first. */
    @SuppressWarnings("ThreadPriorityCheck") // that of the first user must not stay
    private Thread create(Runnable task) {
        Thread thread = new Thread(uppermostGroup(), task, prefix + count.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        thread.setPriority(Thread.NORM_PRIORITY);
        thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
        return thread;
    }

    private static ThreadGroup uppermostGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        try {
            for (ThreadGroup above = group.getParent(); above != null; above = group.getParent()) {
                group = above;
            }
        } catch (SecurityException forbidden) {
            // then this one is the uppermost that may have the thread
        }
        return group;
    }

    /** Runs a task on a thread that must continue whatever the task throws. */
    static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable thrown) {
            report(thrown);
        }
    }

    /** Tells the handler of what nobody catches, as if the current thread ended with it. */
    static void report(Throwable thrown) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        } catch (Throwable ofHandler) {
            // ignored, as the JVM does
        }
    }
}
