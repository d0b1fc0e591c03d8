package dev.weir.gate;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The end of the stream: requests are withdrawn, held elements dropped, and downstream is notified. Used only in the drain. */
final class Exit<T> {

    private final StreamEnds<T> ends;
    private final SourceEnd<T> source;
    private final Losses<T> losses;
    private final StreamFailure failure;
    private final @Nullable Executor resume;
    private volatile boolean taken;

    /** Whether the error of the source has been handled; it may arrive while the stream ends with another error. */
    private boolean hasHandledSourceError;

    Exit(StreamEnds<T> ends, SourceEnd<T> source, Losses<T> losses, @Nullable Executor resume) {
        this.ends = ends;
        this.source = source;
        this.losses = losses;
        this.failure = losses.failure;
        this.resume = resume;
    }

    /** Whether the stream is over. Any thread. */
    boolean isTaken() {
        return taken;
    }

    /** Ends the stream; without an error it completes. */
    void end(Lanes<T> lanes, @Nullable Throwable error) {
        taken = true;
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
        try {
            if (told == null) {
                ends.complete();
            } else {
                ends.error(told);
            }
        } finally {
            StreamWorker.release(resume);
        }
    }

    /** Cleans up after downstream has cancelled, or after a signal that came after the end. */
    void cleanUp(Lanes<T> lanes) {
        boolean first = !taken;
        taken = true;
        if (first) {
            source.cancel();
        }
        dropAll(lanes);
        Throwable late = unhandledSourceError();
        if (late != null && !first) {
            failure.tellDropped(late);
        }
        Throwable unheard = failure.sealWith(null);
        if (unheard != null) {
            failure.tellDropped(unheard);
        }
        if (first) {
            StreamWorker.release(resume);
        }
    }

    private @Nullable Throwable unhandledSourceError() {
        Throwable error = hasHandledSourceError ? null : source.error();
        hasHandledSourceError |= error != null;
        return error;
    }

    private void dropAll(Lanes<T> lanes) {
        lanes.withdraw();
        for (T element; (element = lanes.removeAny()) != null; ) {
            losses.drop(element);
        }
    }
}
