package dev.weir.redis;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Circuit breaker of a node: keeps its limiters on one time source from asking a server that does not answer. After a few failures in
 * a row only one request at a time, the probe, is sent, at growing intervals.
 *
 * <pre>
 *             failures in a row             pause over: one may ask
 *   CLOSED --------------------> OPEN --------------------------> PROBING
 *     ^                           ^                                  |  |
 *     |        answered           +---------- failed: longer --------+  |     not sent: no longer
 *     +-----------------------------------------------------------------+
 * </pre>
 */
final class Circuit {

    /** Stands for as long as a probe is in flight. */
    static final long PROBING = Long.MAX_VALUE;

    /** The longest pause. */
    static final long LONGEST_NANOS = 1_000_000_000;

    /** For how long a probe that does not end keeps others from probing. */
    private static final long PROBE_NANOS = 1_000_000_000;

    private static final int FAILURES = 3;
    private static final long SHORTEST_NANOS = 50_000_000;

    private static final VarHandle STATE =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(Circuit.class, "state", State.class));

    private final RandomGenerator random;
    private volatile State state = State.NEW;

    /** Creates a closed circuit. Pauses vary at random, so that nodes do not all ask at once. */
    Circuit(RandomGenerator random) {
        this.random = random;
    }

    /**
     * While the pause lasts, and while a probe is in flight, no other request is sent.
     *
     * @param failures how many in a row
     * @param pauseNanos how long the pause is before jitter
     * @param untilNanos when the pause ends, or has ended; that of the limit that failed last while too few have failed for all to pause
     * @param isProbing whether a probe is in flight
     * @param probedNanos when the latest probe was sent
     * @param latest the latest failure, if there has been any
     */
    private record State(
            int failures,
            long pauseNanos,
            long untilNanos,
            boolean isProbing,
            long probedNanos,
            @Nullable Throwable latest) {

        static final State NEW = new State(0, 0, 0, false, 0, null);

        /** Keeps the failure and the end of the pause: a thread that has just found the circuit open reads them next. */
        State closed() {
            return new State(0, 0, untilNanos, false, probedNanos, latest);
        }

        State probing(long nowNanos) {
            return new State(failures, pauseNanos, untilNanos, true, nowNanos, latest);
        }

        /** Returns the state after one more failure, with a pause that ends at that time. */
        State afterFailure(Throwable cause, long nextPauseNanos, long endNanos) {
            int next = Math.min(failures + 1, FAILURES);
            return new State(next, next < FAILURES ? 0 : nextPauseNanos, endNanos, false, probedNanos, cause);
        }

        /** The same, but the next may probe at once: the pause was over when this probe was sent. */
        State probedInVain() {
            return isProbing ? new State(failures, pauseNanos, untilNanos, false, probedNanos, latest) : this;
        }

        /** Returns whether a question of that time was sent with the probe in flight, or after it. */
        boolean isProbedBy(long begunNanos) {
            return isProbing && begunNanos - probedNanos >= 0;
        }

        /** Returns when a request may be sent: at the end of the pause, or, instead of a probe that has not ended by then. */
        long freeNanos() {
            return isProbing ? probedNanos + PROBE_NANOS : untilNanos;
        }

        /** Returns the latest failure; there must have been one. */
        Throwable cause() {
            return Objects.requireNonNull(latest, "latest");
        }
    }

    /** Returns whether the store may be asked now. The first request allowed after the pause is the probe. */
    boolean mayAsk(long nowNanos) {
        while (true) {
            State seen = state;
            if (seen.failures < FAILURES) {
                return true;
            }
            if (seen.freeNanos() - nowNanos > 0) {
                return false;
            }
            if (STATE.compareAndSet(this, seen, seen.probing(nowNanos))) {
                return true;
            }
        }
    }

    /** Returns whether the latest questions failed, all of them. */
    boolean isOpen() {
        return state.failures == FAILURES;
    }

    /** Takes note of an answer. A server that refuses to write may still answer what it need not write for. */
    void answered(boolean hasWritten) {
        State seen = state;
        if (seen.failures == 0) {
            return;
        }
        boolean isBack = hasWritten || !Symptoms.servesNobody(seen.cause());
        STATE.compareAndSet(this, seen, isBack ? seen.closed() : seen.probedInVain());
    }

    /**
     * Records a failure. Returns after how long the limit that failed may ask again. A server that answers with an error is
     * available: the error is about one key or one command, and no reason for others not to ask, unless it says that the server
     * serves nobody. A question that cannot be sent at all says nothing about the server: if it was the probe, the next one is.
     */
    long pauseAfter(Throwable cause, long begunNanos, long nowNanos) {
        if (Symptoms.isOfThisNode(cause)) {
            State seen = state;
            if (seen.isProbedBy(begunNanos)) {
                STATE.compareAndSet(this, seen, seen.probedInVain());
            }
            return shortPause();
        }
        if (Symptoms.isOfOneKey(cause)) {
            answered(false);
            return shortPause();
        }
        return failed(cause, begunNanos, nowNanos);
    }

    /** Records a failure, unless its question was sent before the circuit opened: that says nothing new. */
    private long failed(Throwable cause, long begunNanos, long nowNanos) {
        while (true) {
            State seen = state;
            if (seen.failures == FAILURES && !seen.isProbedBy(begunNanos)) {
                return nanosLeft(seen, nowNanos);
            }
            long pause = Math.min(LONGEST_NANOS, Math.max(SHORTEST_NANOS, 2 * seen.pauseNanos));
            long jittered = jittered(pause);
            if (STATE.compareAndSet(this, seen, seen.afterFailure(cause, pause, nowNanos + jittered))) {
                return jittered;
            }
        }
    }

    /** Returns after how long to try again when nothing was learned about the store. */
    long shortPause() {
        return jittered(SHORTEST_NANOS);
    }

    private long jittered(long pause) {
        return pause / 2 + random.nextLong(pause / 2 + 1);
    }

    /** Returns after how long a question may be sent without a request; zero or less if now. */
    long nanosUntilProbe(long nowNanos) {
        State seen = state;
        if (seen.failures < FAILURES) {
            return 0;
        }
        return seen.isProbing ? PROBING : seen.untilNanos - nowNanos;
    }

    /** Returns an outage in which requests do not ask before the pause is over, or a probe in flight may have ended. */
    Outage untilPauseIsOver(long nowNanos) {
        State seen = state;
        return new Outage(nowNanos, nowNanos + nanosLeft(seen, nowNanos), nowNanos, seen.cause());
    }

    /** Returns how much longer the pause lasts, at least a millisecond, or until a probe in flight may have ended. */
    private long nanosLeft(State seen, long nowNanos) {
        return seen.isProbing ? 2 * shortPause() : Math.max(NodeSettings.SOONEST_NANOS, seen.untilNanos - nowNanos);
    }
}
