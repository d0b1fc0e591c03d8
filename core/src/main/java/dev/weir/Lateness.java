package dev.weir;

import org.jspecify.annotations.Nullable;

/**
 * How late the timer of a limiter usually is: alarms are set for so much earlier.
 *
 * <p>A sleep takes longer than was asked for: on Linux by the 50 microseconds by which the kernel may put off the end of one
 * (prctl(2), {@code PR_SET_TIMERSLACK}), and by what it takes to wake a thread and its processor, which has gone to rest the deeper
 * the longer the sleep is. Where each grant counts from when it really was, that adds up: N in every P become N in every P and the
 * lateness. What three of four sleeps of that length do not exceed is foreseen here; who is early for it watches the clock
 * ({@link ClockWatch}). Where nobody may, an alarm that is early is in vain, and has to be set once more; then less is foreseen, until
 * that is so of one in eleven.
 *
 * <p>It is followed in steps, up where a sleep took longer than was foreseen and down where it did not, in the proportion in which
 * they are to be: no sleep has to be remembered, and one that was held up for long counts no more than any other (Q. Ma,
 * S. Muthukrishnan, M. Sandler, Frugal Streaming for Estimating Quantiles, 2013).
 *
 * <p>A clock that is moved by hand is never late, so it fires when it was asked to. For use inside the drain only.
 */
final class Lateness {

    /** More is not the way of a timer, but a thread that got no processor. */
    static final long MOST_NANOS = 1_000_000;

    /** Sleeps for less may be over before they begin, and tell nothing. */
    static final long SHORTEST_NANOS = 20_000;

    static final long STEP_DOWN_NANOS = 2_000;

    static final long STEP_UP_NANOS = 3 * STEP_DOWN_NANOS;

    static final long STEP_DOWN_IN_VAIN_NANOS = 10 * STEP_UP_NANOS;

    /** A length is up to four times the shortest, the next up to four times that, and the last all that is more. */
    private static final int LENGTHS = 6;

    private final @Nullable OfLength[] byLength = new OfLength[LENGTHS];

    /** Returns for how long to ask the timer to sleep, in order to be awake after a time. */
    long toSleep(long waitNanos) {
        OfLength length = waitNanos < SHORTEST_NANOS ? null : byLength[lengthOf(waitNanos)];
        return length == null ? waitNanos : Math.max(SHORTEST_NANOS, waitNanos - length.usual);
    }

    /**
     * Takes note of a sleep in order to be awake after a time.
     *
     * @param waitNanos after how long
     * @param lateNanos by how much it took longer than was asked for; negative if less
     * @param isInVain whether that was too early
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
