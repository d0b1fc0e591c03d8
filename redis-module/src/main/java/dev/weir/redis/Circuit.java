package dev.weir.redis;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Keeps all limiters of a node from asking a store that does not answer: after a few failures in a row nobody asks any more, but for
 * one at a time, and that ever less often.
 *
 * <pre>
 *             failures in a row             pause over: one may ask
 *   CLOSED --------------------> OPEN --------------------------> PROBING
 *     ^                           ^                                  |  |
 *     |        answered           +---------- failed: longer --------+  |
 *     +-----------------------------------------------------------------+
 * </pre>
 */
final class Circuit {

    /** The longest pause. */
    static final long LONGEST_NANOS = 1_000_000_000;

    private static final int FAILURES = 3;
    private static final long SHORTEST_NANOS = 50_000_000;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Circuit.class, "state", State.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile State state = new State(0, 0, 0, false, new IllegalStateException("closed"));

    /** The pause ends at a time of the clock; while it lasts, and while there is a probe, nobody else asks. */
    private record State(int failures, long pauseNanos, long untilNanos, boolean isProbing, Throwable cause) {

        boolean isProbedSince(long nanos) {
            return isProbing && nanos + LONGEST_NANOS - untilNanos >= 0;
        }
    }

    /** Tells whether the store may be asked now. Whoever is told so when the pause is over is the probe. */
    boolean mayAsk(long nowNanos) {
        while (true) {
            State seen = state;
            if (seen.failures < FAILURES) {
                return true;
            }
            if (seen.untilNanos - nowNanos > 0) {
                return false;
            }
            State probing = new State(seen.failures, seen.pauseNanos, nowNanos + LONGEST_NANOS, true, seen.cause);
            if (STATE.compareAndSet(this, seen, probing)) {
                return true;
            }
        }
    }

    Throwable cause() {
        return state.cause;
    }

    void answered() {
        State seen = state;
        if (seen.failures > 0) {
            STATE.compareAndSet(this, seen, new State(0, 0, 0, false, seen.cause));
        }
    }

    /**
     * Takes note of what has failed. Returns after how long whoever it was may ask again. A server that answers with an error is there:
     * that is about one key or one command, and no reason for others not to ask, unless it says that it serves nobody. What cannot be
     * asked at all tells nothing of it.
     */
    long pauseAfter(Throwable cause, long begunNanos, long nowNanos) {
        if (cause instanceof TooManyCallsException || cause instanceof IllegalArgumentException) {
            return shortPause();
        }
        if (Symptoms.isOfOneKey(cause)) {
            answered();
            return shortPause();
        }
        return failed(cause, begunNanos, nowNanos);
    }

    /** What was asked before others stopped asking, and fails after that, tells nothing new. */
    private long failed(Throwable cause, long begunNanos, long nowNanos) {
        while (true) {
            State seen = state;
            if (seen.failures == FAILURES && !seen.isProbedSince(begunNanos)) {
                return nanosLeft(nowNanos);
            }
            long pause = Math.min(LONGEST_NANOS, Math.max(SHORTEST_NANOS, 2 * seen.pauseNanos));
            long jittered = jittered(pause);
            State next = new State(
                    Math.min(seen.failures + 1, FAILURES),
                    seen.failures + 1 < FAILURES ? 0 : pause,
                    nowNanos + jittered,
                    false,
                    cause);
            if (STATE.compareAndSet(this, seen, next)) {
                return jittered;
            }
        }
    }

    /** Returns after how long to try again where nothing has been learned about the store. */
    long shortPause() {
        return jittered(SHORTEST_NANOS);
    }

    private static long jittered(long pause) {
        return pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
    }

    /** Returns how long the pause goes on; at least a moment. */
    long nanosLeft(long nowNanos) {
        return Math.max(Manners.SOONEST_NANOS, state.untilNanos - nowNanos);
    }
}
