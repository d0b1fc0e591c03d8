package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.util.concurrent.ForkJoinPool;

/**
 * Those who wait for permits of one limit on this node, whom somebody else looks after when told to. Callers that are told of permits one
 * after the other often ask again at once: they make one question, rather than one for the first and another for the others.
 */
final class ThoseWhoWait {

    /** The longest that one who blocks when told keeps back others. */
    private static final long LONGEST_NANOS = 1_000_000;

    private final TimeSource time;
    private volatile Runnable drain = () -> {};

    /** How many permits are being told of, to some who may ask again at once; and until when at most others are kept for them. */
    private volatile long beingTold;

    private volatile long untilNanos;

    ThoseWhoWait(TimeSource time) {
        this.time = time;
    }

    void signalTo(Runnable toCall) {
        drain = toCall;
    }

    /** Has them looked after on this thread, which may run user code. */
    void lookAfter() {
        drain.run();
    }

    /** Has something done for them where user code may run. */
    void signal(Runnable service) {
        try {
            time.schedule(service, 0);
        } catch (RuntimeException | Error noMoreTasks) {
            ForkJoinPool.commonPool().execute(service);
        }
    }

    /** Looks after them when so many permits have come, on this thread, which may run user code: they may be many at once. */
    void serve(long permits) {
        if (permits > 1) {
            tellOf(permits);
        }
        drain.run();
    }

    private void tellOf(long permits) {
        untilNanos = time.nanoTime() + LONGEST_NANOS;
        beingTold = permits;
        try {
            drain.run();
        } finally {
            beingTold = 0;
        }
    }

    /** Answers for how long a question for so many permits is to wait for others; zero if it is not. */
    long nanosToGather(long waiting, long nowNanos) {
        return waiting < beingTold ? Math.max(0, untilNanos - nowNanos) : 0;
    }
}
