package dev.weir.time;

import dev.weir.time.TimerThread.Alarm;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * New alarms on their way to the timer thread: a lock-free stack (R. K. Treiber, IBM RJ 5118, 1986), all of which the thread
 * takes before it sleeps. A caller that pushed an alarm that is due while the thread would sleep has to wake it:
 *
 * <pre>
 *   the scheduler:  push the alarm    then read wakeAt       wakes the thread if the alarm is due before
 *   the thread:     write wakeAt      then read the stack    sleeps only if it is empty
 * </pre>
 *
 * <p>All four accesses are volatile, so whichever side reads second sees what the other has written (T. J. Dekker's algorithm),
 * and the thread never sleeps past a due alarm.
 */
final class AlarmInbox {

    private final AtomicReference<@Nullable Alarm> top = new AtomicReference<>();

    private volatile long wakeAt;

    /** Adds an alarm. Returns whether it is due while the thread would sleep. */
    boolean push(Alarm alarm) {
        do {
            alarm.below = top.get();
        } while (!top.compareAndSet(alarm.below, alarm));
        return alarm.dueNanos - wakeAt < 0;
    }

    /** Announces until when the thread is about to sleep. Returns whether it may, as there is no new alarm. */
    boolean announceSleepUntil(long nanos) {
        wakeAt = nanos;
        return top.get() == null;
    }

    /** Takes all alarms. Returns the latest, above those before it. */
    @Nullable
    Alarm takeAll() {
        return top.getAndSet(null);
    }
}
