package dev.weir;

import dev.weir.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the drain when the head of the queue is due: at most one pending timer, and the earliest wins.
 *
 * <p>A timer that is set for earlier than needed stays, as when the head was cancelled: it wakes the drain once for nothing,
 * which then sets it anew. A timer that fires early, late or twice does no more harm than that.
 *
 * <p>What the timer is usually late is foreseen ({@link Lateness}), so most alarms fire a little too early; their thread then watches
 * the clock ({@link ClockWatch}). If the drain is woken too early all the same, it sets the alarm anew.
 *
 * <p>Set and cleared inside the drain only; fires on any thread.
 */
final class HeadAlarm {

    /** Who is woken. */
    interface Sleeper {

        /** It is time. */
        void wake();

        /**
         * It is nearly time: looks, so that all it takes to look is at hand, has that run, which ends when it is time, and looks
         * again. Tells what was decided only then, as whoever is told may block.
         */
        void wakeAround(Runnable untilTime);
    }

    private final TimeSource time;
    private final Sleeper sleeper;
    private final ClockWatch watch;
    private final Lateness lateness = new Lateness();

    /** Also read outside the drain, to tell who is refused when a retry may be worth it: racy, benign. */
    private volatile @Nullable Timer pending;

    HeadAlarm(TimeSource time, Sleeper sleeper, ClockWatch watch) {
        this.time = time;
        this.sleeper = sleeper;
        this.watch = watch;
    }

    /**
     * Makes sure that the drain is woken by then.
     *
     * @throws RuntimeException if the time source takes no more tasks
     */
    void setFor(long waitNanos, long nowNanos) {
        long due = nowNanos + waitNanos;
        Timer current = pending;
        if (current != null && !current.fired && current.dueNanos - due <= 0) {
            return;
        }
        clear();
        long sleep = lateness.toSleep(waitNanos);
        Timer timer = new Timer(due, nowNanos, sleep);
        pending = timer;
        try {
            timer.handle = time.schedule(timer, sleep);
        } catch (RuntimeException | Error refused) {
            pending = null; // or it would seem to be set
            throw refused;
        }
    }

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

    /** Returns how long the timer has still to go; zero or less if it is due or there is none. */
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

        /** Whether it fired before its time, and nobody watched the clock until then. Published as that is. */
        private boolean isInVain;

        /** Written when the timer fires; a timer found fired is replaced by the next that is needed. */
        private volatile boolean fired;

        Timer(long dueNanos, long sinceNanos, long sleepNanos) {
            this.dueNanos = dueNanos;
            this.sinceNanos = sinceNanos;
            this.sleepNanos = sleepNanos;
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
