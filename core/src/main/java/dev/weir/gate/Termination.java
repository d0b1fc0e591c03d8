package dev.weir.gate;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Terminates the stream, and tells whether it is terminated: requests are withdrawn, held elements dropped, and downstream is
 * notified, unless it has cancelled by then. Used only in the drain, except where stated otherwise.
 */
final class Termination<T> {

    private final GatedStream<T> stream;
    private final StreamSource<T> source;
    private final Losses<T> losses;
    private final StreamFailure failure;
    private final @Nullable Executor resume;

    private volatile boolean cancelled;
    private volatile boolean ending;
    private volatile boolean ended;

    /** Whether the error of the source has been handled; it may arrive while the stream ends with another error. */
    private boolean hasHandledSourceError;

    Termination(
            GatedStream<T> stream,
            StreamSource<T> source,
            Losses<T> losses,
            StreamFailure failure,
            @Nullable Executor resume) {
        this.stream = stream;
        this.source = source;
        this.losses = losses;
        this.failure = failure;
        this.resume = resume;
    }

    /** Downstream has cancelled. Any thread. */
    void cancel() {
        cancelled = true;
    }

    /** Whether downstream has cancelled. Any thread. */
    boolean isCancelled() {
        return cancelled;
    }

    /** Whether the stream is ending or cancelled, and so delivers no more. Any thread. */
    boolean isOver() {
        return ending || cancelled;
    }

    /** Whether downstream is notified of the end, or has been. Any thread. */
    boolean isEnded() {
        return ended;
    }

    /** Ends the stream; without an error it completes. */
    void end(Lanes<T> lanes, @Nullable Throwable error) {
        ending = true;
        lanes.withdraw(); // first, as foreign code may take its time
        boolean fails = error != null || failure.pending() != null;
        if (fails && !source.isDone()) { // also one whose queue has failed
            source.cancel();
        }
        dropAll(lanes);
        Throwable overtaken = unhandledSourceError();
        if (overtaken != null && overtaken != error) {
            failure.tellDropped(overtaken);
        }
        Throwable told = failure.sealWith(error);
        ended = true;
        try {
            if (cancelled) { // while held elements were being dropped
                tellLate(told);
            } else if (told == null) {
                stream.complete();
            } else {
                stream.error(told);
            }
        } finally {
            releaseWorker();
        }
    }

    /** Cleans up after downstream has cancelled, or after a signal that came after the end. */
    void cleanUp(Lanes<T> lanes) {
        boolean first = !ending;
        ending = true;
        ended = true;
        try {
            if (first) {
                source.cancel();
            }
            lanes.withdraw();
            dropAll(lanes);
            Throwable late = unhandledSourceError();
            if (late != null && !first) {
                failure.tellDropped(late);
            }
        } finally {
            tellLate(failure.sealWith(null));
            releaseWorker();
        }
    }

    private void releaseWorker() {
        try {
            StreamWorker.release(resume);
        } catch (Throwable thrown) {
            failure.tellDropped(thrown);
        }
    }

    private void tellLate(@Nullable Throwable error) {
        if (error != null) {
            failure.tellDropped(error);
        }
    }

    private @Nullable Throwable unhandledSourceError() {
        Throwable error = hasHandledSourceError ? null : source.error();
        hasHandledSourceError |= error != null;
        return error;
    }

    private void dropAll(Lanes<T> lanes) {
        for (T element; (element = lanes.removeAny()) != null; ) {
            losses.drop(element);
        }
    }
}
