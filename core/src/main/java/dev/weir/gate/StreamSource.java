package dev.weir.gate;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The source of the stream, as the gate sees it: open, ended, or cut off. Its thread writes that, and the drain reads it, which
 * requests elements and cancels.
 */
final class StreamSource<T> {

    private enum State {
        OPEN,
        /** The source signalled its end. */
        ENDED,
        /** Cut off because of a failure with one of its elements on arrival. */
        CUT_OFF
    }

    private final GatedStream<T> stream;
    private final Losses<T> losses;
    private final StreamFailure failure;

    private State state = State.OPEN;
    private @Nullable Throwable error;
    private volatile boolean done;
    private final AtomicBoolean cancelled = new AtomicBoolean();

    StreamSource(GatedStream<T> stream, Losses<T> losses, StreamFailure failure) {
        this.stream = stream;
        this.losses = losses;
        this.failure = failure;
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    void complete() {
        state = State.ENDED;
        done = true;
    }

    void fail(Throwable error) {
        this.error = error;
        complete();
    }

    /** Cuts the source off; called on its own thread. The error comes after the held elements, like an error of the source. */
    void cutOff(Throwable error) {
        state = State.CUT_OFF;
        cancel();
        this.error = error;
        done = true;
    }

    /** Cancels the source, at most once. Any thread; inside the drain if the source is pulled. */
    void cancel() {
        if (cancelled.compareAndSet(false, true)) {
            try {
                stream.cancelSource();
            } catch (Throwable thrown) {
                failure.set(thrown);
            }
        }
    }

    /** Requests elements from the source. */
    void request(long elements) {
        stream.requestFromSource(elements);
    }

    /** Handles an element that arrives after the end. */
    void late(T element, boolean cancelled) {
        if (state == State.ENDED && !cancelled) {
            stream.elementDropped(element);
        } else {
            losses.drop(element);
        }
    }

    /** Whether no more elements will come. */
    boolean isDone() {
        return done;
    }

    /** The error of the source, once it is done; null if it has not failed. */
    @Nullable
    Throwable error() {
        return done ? error : null;
    }
}
