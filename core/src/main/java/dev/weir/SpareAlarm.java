package dev.weir;

import dev.weir.time.TimeSource;

/**
 * Wakes a drain that its own alarm does not: one that is left with signals unheard, or whose pass has failed. Any thread.
 *
 * <p>The alarm that caused a failed pass is spent, and those who wait for it may be all there are: nobody else may ever signal.
 */
final class SpareAlarm {

    private final TimeSource time;
    private final PermitDrain drain;

    /** Whether the timer is to cause another pass as one has failed. */
    private volatile boolean isToTryAgain;

    SpareAlarm(TimeSource time, PermitDrain drain) {
        this.time = time;
        this.drain = drain;
    }

    /** Has this thread make another pass when its answers have been delivered, or the timer, if that is faster. */
    void soon(Answers answers) {
        TimeSource.Cancellable ofTimer = scheduled();
        answers.add(() -> {
            try {
                ofTimer.cancel();
            } finally {
                drain.signal(); // the timer's may not come any more
            }
        });
    }

    private TimeSource.Cancellable scheduled() {
        try {
            return time.schedule(drain::signal, 0);
        } catch (Throwable noMoreTasks) {
            return () -> {};
        }
    }

    /** Sets a timer for a pass after one that has failed, if anybody waits; at most one. Throws nothing, whatever fails. */
    void later() {
        try {
            if (!isToTryAgain && drain.isExpecting()) {
                isToTryAgain = true;
                TimeSource.Cancellable unused = time.schedule(this::tryAgain, HeadAlarm.LOST_NANOS);
            }
        } catch (Throwable noMoreTasks) {
            isToTryAgain = false;
        }
    }

    /** A pass has succeeded: should another fail, that needs a timer of its own, as this one may be lost. */
    void passed() {
        if (isToTryAgain) {
            isToTryAgain = false;
        }
    }

    private void tryAgain() {
        isToTryAgain = false;
        if (drain.isExpecting()) {
            drain.signal();
        }
    }
}
