package dev.weir.redis;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One question under way. Ends once: by the answer, a failure, or its deadline, whichever comes first; what comes later is not
 * heard, but that it has come.
 */
final class Trip implements Store.Asker {

    private static final int SENDING = 0;
    private static final int WAITING = 1;
    private static final int ENDED = 2;

    final Limit limit;
    final Question question;
    final long begunNanos;

    /** How much of what it charges was admitted by this node alone. */
    final long owed;

    private final Trips trips;
    private final AtomicInteger state = new AtomicInteger(SENDING);
    private volatile TimeSource.@Nullable Cancellable deadline;
    private volatile boolean forgotten;

    /** Whether somebody who found it under way waits for its end; set before its end is looked for. */
    private volatile boolean awaited;

    Trip(Trips trips, Question question, long owed, long nowNanos) {
        this.trips = trips;
        this.limit = trips.limit();
        this.question = question;
        this.owed = owed;
        this.begunNanos = nowNanos;
    }

    /** To be called when the question has been sent: waits for the answer until the deadline. False if the trip is over already. */
    boolean awaitAnswer(TimeSource time, long deadlineNanos) {
        if (!state.compareAndSet(SENDING, WAITING)) {
            return false;
        }
        try {
            deadline = time.schedule(() -> end(new TimeoutException("no answer in time")), deadlineNanos);
        } catch (RuntimeException | Error noMoreTasks) {
            end(noMoreTasks);
            return false;
        }
        if (state.get() == ENDED) {
            cancelDeadline();
        }
        return true;
    }

    /** To be called by who waits for the end of a trip of somebody else, before making sure that it has not ended. */
    void markAwaited() {
        awaited = true;
    }

    boolean isAwaited() {
        return awaited;
    }

    /** Tells whether the store has let go of the question: it has answered, or has failed to. */
    boolean isForgotten() {
        return forgotten;
    }

    @Override
    public void answered(Answer answer) {
        forgotten = true;
        int before = state.getAndSet(ENDED);
        if (before != ENDED) {
            cancelDeadline();
            trips.answered(this, answer, before == WAITING);
        }
    }

    @Override
    public void failed(Throwable cause) {
        forgotten = true;
        end(cause);
    }

    private void end(Throwable cause) {
        int before = state.getAndSet(ENDED);
        if (before != ENDED) {
            cancelDeadline();
            trips.failed(this, cause, before == WAITING);
        }
    }

    private void cancelDeadline() {
        TimeSource.Cancellable pending = deadline;
        if (pending != null) {
            pending.cancel();
        }
    }
}
