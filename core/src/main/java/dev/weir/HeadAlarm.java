package dev.weir;

import dev.weir.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the drain when the head of the queue is due: at most one timer is pending, set for the earliest time needed.
 *
 * <p>A timer that is set for earlier than needed, for example because the head was cancelled, is left alone: it wakes the drain
 * once in vain, which then sets it again. A timer that fires early, late or twice does no more harm than that. One that is long
 * overdue is taken as lost, as with a scheduler that was disposed: it is cancelled and set anew. If it was only very late, whoever
 * came upon it has served those who waited for it.
 *
 * <p>The usual lateness of the timer is predicted ({@link Lateness}), so most alarms fire a little early; their thread then
 * watches the clock ({@link ClockWatch}). If the drain is still woken too early, it sets the alarm again.
 *
 * <p>Set and cleared inside the drain only; fires on any thread.
 */
final class HeadAlarm {

    /** Receives the alarm. */
    interface Sleeper {

        /** The time has come. */
        void wake();

        /**
         * The time has nearly come: makes a pass, which brings code and data into the caches, runs {@code untilTime}, which
         * returns when the time has come or can no longer be watched for, and makes another pass. Delivers the answers of both
         * passes only after the second, since listeners may block.
         */
        void wakeAround(Runnable untilTime);
    }

    /** A timer that is overdue by more is lost. Far above what is predicted: to predict it, late timers must be let fire. */
    static final long LOST_NANOS = 100 * Lateness.MOST_NANOS;

    /** Setting a timer takes far less, unless the thread was held up meanwhile or somebody moved a virtual clock. */
    static final long HELD_UP_NANOS = Lateness.MOST_NANOS;

    /** How often a timer is set anew for that: a clock that goes on whenever it is read is taken as it is. */
    private static final int MOST_ROUNDS = 8;

    private final TimeSource time;
    private final Sleeper sleeper;
    private final ClockWatch watch;
    private final Lateness lateness = new Lateness();

    /** Also read by the thread that watches the clock for this alarm. */
    private volatile @Nullable Timer pending;

    HeadAlarm(TimeSource time, Sleeper sleeper, ClockWatch watch) {
        this.time = time;
        this.sleeper = sleeper;
        this.watch = watch;
    }

    /**
     * Ensures that the drain is woken at the latest {@code waitNanos} after {@code nowNanos}.
     *
     * @return false if it was held up so long that the time has come already: then whoever is due may be served now
     * @throws RuntimeException if the time source accepts no more tasks
     */
    boolean setFor(long waitNanos, long nowNanos) {
        long due = nowNanos + waitNanos;
        Timer current = pending;
        if (current != null && current.isToCome(nowNanos) && current.dueNanos - due <= 0) {
            return true;
        }
        long now = nowNanos;
        for (int round = 0; round < MOST_ROUNDS; round++) {
            set(due, now);
            long before = now;
            now = nowOr(before);
            if (now - before <= HELD_UP_NANOS) {
                return true;
            } else if (due - now <= 0) {
                clear(); // it would fire too late, and seem to come in time
                return false;
            }
        }
        return true;
    }

    /** The timer is set: those who wait for it do not suffer from a clock that throws at this moment. */
    private long nowOr(long otherwise) {
        try {
            return time.nanoTime();
        } catch (Throwable broken) {
            return otherwise;
        }
    }

    /** Sets the timer as needed by that time. It sleeps from now on: if the clock has gone on since, it is late by as much. */
    private void set(long due, long nowNanos) {
        try {
            clear();
        } catch (Throwable broken) {
            // who waits needs the next timer all the same, though this one then fires in vain
        }
        long sleep = lateness.toSleep(due - nowNanos);
        Timer timer = new Timer(due, nowNanos, sleep);
        pending = timer;
        try {
            timer.handle = time.schedule(timer, sleep);
        } catch (Throwable refused) {
            pending = null; // otherwise it would seem to be set
            throw refused;
        }
    }

    /** Cancels the timer, if any; of one that has fired, records how late it was, as only the drain may. */
    void clear() {
        Timer timer = pending;
        pending = null;
        if (timer == null) {
            return;
        }
        if (timer.fired) {
            lateness.slept(timer.waitNanos(), timer.lateNanos(), timer.isInVain);
        } else if (timer.handle != null) {
            timer.handle.cancel();
        }
    }

    /** Returns how long until the timer is due; zero or less if it is due or there is none. */
    long nanosUntilDue(long nowNanos) {
        Timer timer = pending;
        return timer == null ? 0 : timer.dueNanos - nowNanos;
    }

    private final class Timer implements Runnable {

        private final long dueNanos;
        private final long sinceNanos;
        private final long sleepNanos;

        private TimeSource.@Nullable Cancellable handle;

        /** Published by {@link #fired}. */
        private long wokeNanos;

        /** Whether it fired before its time and the clock was not watched until then. Published by {@link #fired} as well. */
        private boolean isInVain;

        /** Set when the timer fires; a fired timer is replaced by the next that is needed. */
        private volatile boolean fired;

        Timer(long dueNanos, long sinceNanos, long sleepNanos) {
            this.dueNanos = dueNanos;
            this.sinceNanos = sinceNanos;
            this.sleepNanos = sleepNanos;
        }

        /** Returns whether it can be relied on: it has not fired, and is not lost. */
        boolean isToCome(long nowNanos) {
            return !fired && nowNanos - dueNanos <= LOST_NANOS;
        }

        long waitNanos() {
            return dueNanos - sinceNanos;
        }

        long lateNanos() {
            return wokeNanos - sinceNanos - sleepNanos;
        }

        @Override
        public void run() {
            boolean isNear = false;
            try {
                wokeNanos = time.nanoTime();
                long left = dueNanos - wokeNanos;
                isInVain = left > 0;
                isNear = ClockWatch.isNear(left);
            } finally {
                wake(isNear);
            }
        }

        private void wake(boolean isNear) {
            if (isNear) {
                sleeper.wakeAround(this::watchAndFire);
            } else {
                fired = true;
                sleeper.wake();
            }
        }

        private void watchAndFire() {
            try {
                isInVain = !watch.until(dueNanos, time, () -> pending == this);
            } finally {
                fired = true;
            }
        }
    }
}
