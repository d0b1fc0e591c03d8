package dev.weir.time;

/**
 * A clock and the timer that goes by it, as one object: whoever moves the clock, as a test does, thereby also fires the
 * timers that are due.
 *
 * <p>Implementations are thread-safe. The origin of {@link #nanoTime()} is arbitrary and the value may wrap; only
 * differences mean anything, exactly as for {@link System#nanoTime()}.
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
     * <p>The task runs on a thread where user code may run and may block: not on a thread whose delay would delay other
     * tasks, as far as this source can choose.
     *
     * @param task what to run
     * @param delayNanos nanoseconds from now; zero or less means at once
     * @return a handle that keeps the task from running, if it has not begun
     * @throws java.util.concurrent.RejectedExecutionException if the timer takes no more tasks
     */
    Cancellable schedule(Runnable task, long delayNanos);

    /**
     * Returns the real time of this machine: {@link System#nanoTime()}, and one daemon timer thread for the whole JVM,
     * started when it is first needed.
     *
     * <p>The timer thread runs no task itself. It hands each due task to a daemon worker; one that is due at once goes to a
     * worker without it. A task that blocks keeps its worker, and others go on; but further threads are added one by one, so
     * that each task that blocks may hold up those behind it by some milliseconds: a hundred, by tenths of a second.
     * Scheduling and cancelling wait for no lock, so event loops may do both.
     *
     * @return the shared system time source
     */
    static TimeSource system() {
        return SystemTimeSource.INSTANCE;
    }

    /** A scheduled task that may still be called off. */
    interface Cancellable {

        /** Keeps the task from running if it has not begun; otherwise does nothing. Idempotent, callable from any thread. */
        void cancel();
    }
}
