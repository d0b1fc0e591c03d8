package dev.weir;

import org.jspecify.annotations.Nullable;

/**
 * How late the timer of a limiter is lately, at the least: alarms are set for so much earlier.
 *
 * <p>A sleep takes longer than was asked for, and each time by much the same: on Linux by the 50 microseconds by which the kernel
 * may put off the end of one (prctl(2), {@code PR_SET_TIMERSLACK}), and by what it takes to wake a thread and its processor, which
 * has gone to rest the deeper the longer the sleep is. Where each grant counts from when it really was, that adds up: N in every P
 * become N in every P and the lateness. What all of the latest sleeps of that length had in common is foreseen here. Who is woken
 * too early all the same finds nothing due, and sets the alarm anew.
 *
 * <p>A clock that is moved by hand is never late, so it fires when it was asked to. For use inside the drain only.
 */
final class Lateness {

    /** More is not the way of a timer, but a thread that got no processor. */
    static final long MOST_NANOS = 1_000_000;

    /** Sleeps for less may be over before they begin, and tell nothing. */
    static final long SHORTEST_NANOS = 20_000;

    /** Of so many sleeps, and as many before them, the least late one counts. */
    static final int ROUND = 8;

    /** A length is up to four times the shortest, the next up to four times that, and the last all that is more. */
    private static final int LENGTHS = 6;

    private final @Nullable OfLength[] byLength = new OfLength[LENGTHS];

    /** Returns for how long to ask the timer to sleep, in order to be awake after a time. */
    long toSleep(long waitNanos) {
        OfLength length = waitNanos < SHORTEST_NANOS ? null : byLength[lengthOf(waitNanos)];
        long usual = length == null ? 0 : length.usual();
        return waitNanos - usual < SHORTEST_NANOS ? waitNanos : waitNanos - usual;
    }

    /** Takes note of a sleep in order to be awake after a time, and by how much it took longer than asked; negative if less. */
    void slept(long waitNanos, long lateNanos) {
        if (waitNanos < SHORTEST_NANOS) {
            return;
        }
        int index = lengthOf(waitNanos);
        OfLength length = byLength[index];
        if (length == null) {
            length = new OfLength();
            byLength[index] = length;
        }
        length.slept(Math.max(0, lateNanos));
    }

    private static int lengthOf(long nanos) {
        int doublings = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos / SHORTEST_NANOS);
        return Math.min(LENGTHS - 1, doublings / 2);
    }

    private static final class OfLength {

        private long least = MOST_NANOS;
        private long leastBefore;
        private int inRound;

        long usual() {
            return Math.min(least, leastBefore);
        }

        void slept(long lateNanos) {
            least = Math.min(least, lateNanos);
            if (++inRound == ROUND) {
                leastBefore = least;
                least = MOST_NANOS;
                inRound = 0;
            }
        }
    }
}
