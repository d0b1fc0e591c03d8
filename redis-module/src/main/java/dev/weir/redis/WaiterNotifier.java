package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.util.concurrent.ForkJoinPool;

/**
 * Notifies the waiting requests of one limit on this node, by running the drain of their queue. Callers that are notified one after
 * the other often ask again at once: their requests are gathered into one question, rather than one for the first and another for
 * the rest.
 */
final class WaiterNotifier {

    /** The longest time for which a callback that blocks can delay the next question. */
    private static final long LONGEST_NANOS = 1_000_000;

    private final TimeSource time;
    private volatile Runnable drain = () -> {};

    /** How many permits are being delivered, to callers that may ask again at once; a question waits for them until untilNanos. */
    private volatile long beingServed;

    private volatile long untilNanos;

    WaiterNotifier(TimeSource time) {
        this.time = time;
    }

    void signalTo(Runnable toCall) {
        drain = toCall;
    }

    /** Runs the drain on this thread, which may run user code. */
    void drain() {
        drain.run();
    }

    /** Schedules a task on a thread that may run user code. */
    void runElsewhere(Runnable task) {
        runElsewhere(time, task);
    }

    /** Schedules a task on a thread of that time source, or of the common pool if it has none. */
    static void runElsewhere(TimeSource time, Runnable task) {
        try {
            time.schedule(task, 0);
        } catch (Throwable noMoreTasks) {
            ForkJoinPool.commonPool().execute(task);
        }
    }

    /** Schedules the drain if a waiting request may depend on what has ended: a trip, a booking, or that the store decides. */
    void signalIf(boolean mayDepend) {
        if (mayDepend) {
            runElsewhere(this::drain);
        }
    }

    /** Runs the drain after that many permits were granted, on this thread, which may run user code: may notify many requests. */
    void serve(long permits) {
        if (permits > 1) {
            serveMany(permits);
        }
        drain.run();
    }

    private void serveMany(long permits) {
        untilNanos = ClockReading.or(untilNanos, time) + LONGEST_NANOS;
        beingServed = permits;
        try {
            drain.run();
        } finally {
            beingServed = 0;
        }
    }

    /** Returns for how long a question for that many permits is to wait for further requests, or zero. */
    long nanosToGather(long waiting, long nowNanos) {
        return waiting < beingServed ? Math.max(0, untilNanos - nowNanos) : 0;
    }
}
