package dev.weir.time;

/**
 * A clock and a timer that follows this clock. Moving the clock, as a test does, also fires the timers that are due.
 *
 * <p>Implementations are thread-safe. The origin of {@link #nanoTime()} is arbitrary and the value may wrap; only
 * differences mean anything, exactly as for {@link System#nanoTime()}. The clock should not go back: a step back is no fault, but
 * nothing comes back to a limit until the clock has made up for it. So this is no place for a wall clock that may be set.
 */
public interface TimeSource {

    /**
     * Returns the current time in nanoseconds since an arbitrary origin.
     *
     * @return the time, to be compared by subtraction only
     */
    long nanoTime();

    /**
     * Runs a task once, as soon as {@code delayNanos} nanoseconds have passed on this clock.
     *
     * <p>The task runs on a thread where user code may run and may block. As far as the source can choose, this is not a thread
     * whose delay would delay other tasks.
     *
     * @param task what to run
     * @param delayNanos nanoseconds from now; zero or less means at once
     * @return a handle that cancels the task if it has not begun
     * @throws java.util.concurrent.RejectedExecutionException if the timer accepts no more tasks
     */
    Cancellable schedule(Runnable task, long delayNanos);

    /**
     * Returns the system time source: {@link System#nanoTime()}, and one daemon timer thread for the whole JVM, started when it
     * is first needed.
     *
     * <p>The timer thread runs no tasks itself: it hands each due task to a daemon worker thread. A task that is due at once goes
     * directly to a worker. A task that blocks keeps its worker, and other tasks run on other workers. Workers are added one by
     * one, so many tasks that block at once delay queued tasks for a while. Scheduling and cancelling take no locks, so event
     * loops may do both.
     *
     * <p>The timer thread does not end, and keeps nothing of whoever first needed it, only the class loader of this library. If
     * that is the loader of an application in a container, such as a web application that brings this library along, the
     * application stays in memory after it has been undeployed, once for each deployment. There, put this library among those of
     * the container.
     *
     * @return the shared system time source
     */
    static TimeSource system() {
        return SystemTimeSource.INSTANCE;
    }

    /** A scheduled task that can be cancelled. */
    interface Cancellable {

        /** Cancels the task if it has not begun; otherwise does nothing. Idempotent, callable from any thread. */
        void cancel();
    }
}
