package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One question under way. Ends once: by the answer, a failure, or its deadline, whichever comes first; what comes later is not
 * heard.
 */
final class Trip implements Store.Asker {

    private static final int SENDING = 0;
    private static final int WAITING = 1;
    private static final int ENDED = 2;

    final Question question;

    private final Trips trips;
    private final AtomicInteger state = new AtomicInteger(SENDING);
    private volatile TimeSource.@Nullable Cancellable deadline;

    Trip(Trips trips, Question question) {
        this.trips = trips;
        this.question = question;
    }

    /** To be called when the question has been sent. Tells whether the answer is still to come. */
    boolean isToCome(TimeSource time, long deadlineNanos) {
        if (!state.compareAndSet(SENDING, WAITING)) {
            return false;
        }
        try {
            deadline = time.schedule(() -> failed(new TimeoutException("no answer in time")), deadlineNanos);
        } catch (RuntimeException noMoreTasks) {
            failed(noMoreTasks);
            return false;
        }
        if (state.get() == ENDED) {
            cancelDeadline();
        }
        return true;
    }

    @Override
    public void answered(Answer answer) {
        int before = state.getAndSet(ENDED);
        if (before != ENDED) {
            cancelDeadline();
            trips.answered(this, answer, before == WAITING);
        }
    }

    @Override
    public void failed(Throwable cause) {
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
