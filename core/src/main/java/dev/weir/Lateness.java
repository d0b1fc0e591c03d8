package dev.weir;

import org.jspecify.annotations.Nullable;

/**
 * Predicts how late a limiter's timer fires: alarms are set that much earlier.
 *
 * <p>A sleep takes longer than requested: on Linux by the 50 microseconds by which the kernel may delay its end (prctl(2),
 * {@code PR_SET_TIMERSLACK}), and by the time needed to wake a thread and its processor, whose idle state is the deeper the
 * longer the sleep. Since each grant counts from its actual time, the delays add up: N in every P become N in every P plus the
 * lateness. The prediction is the lateness that three of four sleeps of similar length do not exceed; a thread that wakes early
 * because of it watches the clock ({@link ClockWatch}). If none may, an early alarm is in vain and has to be set again; then the
 * prediction is lowered, until that happens for one in eleven.
 *
 * <p>The prediction moves in steps, up if a sleep took longer than predicted and down if not, sized by the desired proportion: no
 * sleep has to be remembered, and one that was held up for long counts no more than any other (Q. Ma, S. Muthukrishnan, M.
 * Sandler, Frugal Streaming for Estimating Quantiles, 2013).
 *
 * <p>A virtual clock is never late, so its alarms are set for exactly the time requested. Used inside the drain only.
 */
final class Lateness {

    /** The largest prediction: anything longer is not the timer, but a thread that was not scheduled. */
    static final long MOST_NANOS = 1_000_000;

    /** Shorter sleeps may be over before they begin, and are not considered. */
    static final long SHORTEST_NANOS = 20_000;

    static final long STEP_DOWN_NANOS = 2_000;

    static final long STEP_UP_NANOS = 3 * STEP_DOWN_NANOS;

    static final long STEP_DOWN_IN_VAIN_NANOS = 10 * STEP_UP_NANOS;

    /** The number of length classes: up to four times the shortest, up to four times that, and so on; the last has no end. */
    private static final int LENGTHS = 6;

    private final @Nullable OfLength[] byLength = new OfLength[LENGTHS];

    /** Returns the sleep to request from the timer in order to be awake after {@code waitNanos}. */
    long toSleep(long waitNanos) {
        OfLength length = waitNanos < SHORTEST_NANOS ? null : byLength[lengthOf(waitNanos)];
        return length == null ? waitNanos : Math.max(SHORTEST_NANOS, waitNanos - length.usual);
    }

    /**
     * Records a sleep.
     *
     * @param waitNanos after how long the thread was to be awake
     * @param lateNanos by how much the sleep took longer than requested; negative if less
     * @param isInVain whether it ended too early
     */
    void slept(long waitNanos, long lateNanos, boolean isInVain) {
        if (waitNanos < SHORTEST_NANOS) {
            return;
        }
        int index = lengthOf(waitNanos);
        OfLength length = byLength[index];
        if (length == null) {
            length = new OfLength();
            byLength[index] = length;
        }
        length.slept(lateNanos, isInVain);
    }

    private static int lengthOf(long nanos) {
        int doublings = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos / SHORTEST_NANOS);
        return Math.min(LENGTHS - 1, doublings / 2);
    }

    private static final class OfLength {

        long usual;

        void slept(long lateNanos, boolean isInVain) {
            usual = lateNanos > usual
                    ? Math.min(MOST_NANOS, usual + STEP_UP_NANOS)
                    : Math.max(0, usual - (isInVain ? STEP_DOWN_IN_VAIN_NANOS : STEP_DOWN_NANOS));
        }
    }
}
