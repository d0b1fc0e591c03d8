package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One request in flight to the store. Ends once: by the answer, a failure, or its deadline, whichever comes first. An answer after the
 * deadline is ignored, except for noting that it has arrived, even if a stalled node hears of it before it runs the task of the deadline.
 */
final class Trip implements Store.Listener {

    private static final int SENDING = 0;
    private static final int WAITING = 1;
    private static final int ENDED = 2;

    /** A timer that is later than this has been lost. */
    private static final long LOST_NANOS = 1_000_000_000;

    final FleetTerms terms;
    final Question question;
    final long begunNanos;

    private final Trips trips;
    private final TimeSource time;
    private final AtomicInteger state = new AtomicInteger(SENDING);
    private volatile TimeSource.@Nullable Cancellable deadline;

    /** Until when an answer counts; set before the question is sent. */
    private long dueNanos;

    /** The server that is asked; set before the question is sent. */
    private @Nullable Server server;

    /** Belongs to the thread that sends this. */
    private boolean signalsSender;

    /** Whether a request that found it in flight waits for its end; set before checking whether it has ended. */
    private volatile boolean awaited;

    Trip(Trips trips, TimeSource time, Question question, long nowNanos) {
        this.trips = trips;
        this.time = time;
        this.terms = trips.terms();
        this.question = question;
        this.begunNanos = nowNanos;
    }

    /** Sets the deadline, and which server is asked; to be called before the question is sent. */
    void begin(Server asked) {
        server = asked;
        dueNanos = ClockReading.or(begunNanos, time) + deadlineNanos();
    }

    /** Returns the server that was asked, once the question has been sent. */
    Server server() {
        return Objects.requireNonNull(server, "server");
    }

    /** Schedules the deadline, if this has not ended already; to be called once the question is sent, does not block. */
    void awaitAnswer() {
        if (!state.compareAndSet(SENDING, WAITING)) {
            return;
        }
        try {
            deadline = time.schedule(this::endTooLate, deadlineNanos());
        } catch (Throwable noMoreTasks) {
            endWithout(noMoreTasks);
            return;
        }
        signalsSender = true;
        if (state.get() == ENDED) {
            cancelDeadline();
        }
    }

    /** Returns whether the end of this signals whoever has sent it, who asks; otherwise it has ended already. */
    boolean signalsSender() {
        return signalsSender;
    }

    /** Returns how long until a deadline after its beginning; its answer counts for a little longer, for a deadline after it was sent. */
    long nanosLeft(long nowNanos) {
        return begunNanos + deadlineNanos() - nowNanos;
    }

    /** Returns whether this should have ended so long ago that whoever was to see to that never will. */
    boolean isLost(long nowNanos) {
        return nanosLeft(nowNanos) < -LOST_NANOS;
    }

    private long deadlineNanos() {
        return terms.settings().deadlineNanos();
    }

    /** Marks that a request that did not start this trip waits for its end; to be called before checking that it has not ended. */
    void markAwaited() {
        awaited = true;
    }

    boolean isAwaited() {
        return awaited;
    }

    @Override
    public void answered(Answer answer) {
        trips.letGo(this);
        if (!question.fits(answer)) {
            endWithout(new IllegalStateException("not asked for, but granted: " + answer));
            return;
        }
        long now = time.nanoTime();
        if (now - dueNanos > 0) {
            endTooLate();
            return;
        }
        int before = end();
        if (before != ENDED) {
            tellEnd(() -> trips.answered(this, answer, before == WAITING, now));
            server().reports().goOn();
        }
    }

    @Override
    public void failed(Throwable cause) {
        trips.letGo(this);
        endWithout(cause);
    }

    private void endTooLate() {
        endWithout(new TimeoutException("no answer in time"));
    }

    private void endWithout(Throwable cause) {
        int before = end();
        if (before != ENDED) {
            tellEnd(() -> trips.failed(this, cause, before == WAITING, ClockReading.or(begunNanos, time)));
            server().reports().goOnAfterFailure(time);
        }
    }

    /** An error on the way must not leave this under way. */
    private void tellEnd(Runnable ending) {
        try {
            ending.run();
        } catch (Throwable error) {
            trips.lost(this, error);
            throw error;
        }
    }

    /** Ends this, once. Returns the state before; if that is ENDED, who ended it sees to the rest. */
    private int end() {
        int before = state.getAndSet(ENDED);
        if (before != ENDED) {
            cancelDeadline();
        }
        return before;
    }

    private void cancelDeadline() {
        TimeSource.Cancellable pending = deadline;
        if (pending != null) {
            try {
                pending.cancel();
            } catch (Throwable broken) {
                return; // the task will find that the trip has ended
            }
        }
    }
}
