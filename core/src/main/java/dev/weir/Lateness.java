package dev.weir;

/**
 * How late the timer of a limiter is lately, at the least: alarms are set for so much earlier.
 *
 * <p>A sleep takes longer than was asked for, and each time by much the same: on Linux by the 50 microseconds by which the kernel
 * may put off the end of one (prctl(2), {@code PR_SET_TIMERSLACK}), and by what it takes to wake a thread. Where each grant
 * counts from when it really was, that adds up: N in every P become N in every P and the lateness. What all of the latest
 * sleeps had in common is foreseen here. Who is woken too early all the same finds nothing due, and sets the alarm anew.
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

    private long least = MOST_NANOS;
    private long leastBefore;
    private int inRound;

    /** Returns for how long to ask the timer to sleep, in order to be awake after a time. */
    long toSleep(long waitNanos) {
        long usual = Math.min(least, leastBefore);
        return waitNanos - usual < SHORTEST_NANOS ? waitNanos : waitNanos - usual;
    }

    /** Takes note of a sleep that was asked for, and by how much it took longer; negative if it ended too early. */
    void slept(long askedNanos, long lateNanos) {
        if (askedNanos < SHORTEST_NANOS) {
            return;
        }
        least = Math.min(least, Math.max(0, lateNanos));
        if (++inRound == ROUND) {
            leastBefore = least;
            least = MOST_NANOS;
            inRound = 0;
        }
    }
}
