package dev.weir.gate;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Whether and how the source has ended, or was made to. Told by the source's thread, looked at by the drain. */
final class SourceEnd<T> {

    private enum State {
        OPEN,
        /** By its own word. */
        ENDED,
        /** Because of what happened to one of its elements on arrival. */
        CUT_OFF
    }

    private final StreamEnds<T> ends;
    private final Losses<T> losses;

    private State state = State.OPEN;
    private @Nullable Throwable error;
    private volatile boolean done;
    private final AtomicBoolean cancelled = new AtomicBoolean();

    SourceEnd(StreamEnds<T> ends, Losses<T> losses) {
        this.ends = ends;
        this.losses = losses;
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

    /** Ends the source on its own thread. The error comes after what is held, like one of the source. */
    void cutOff(Throwable error) {
        state = State.CUT_OFF;
        cancel();
        this.error = error;
        done = true;
    }

    /** Nothing more is wanted of the source, which hears of it once. Any thread; inside the drain where it is pulled. */
    void cancel() {
        if (cancelled.compareAndSet(false, true)) {
            try {
                ends.cancelSource();
            } catch (RuntimeException | Error thrown) {
                losses.fail(thrown);
            }
        }
    }

    /** An element that comes after the end. */
    void late(T element, boolean cancelled) {
        if (state == State.ENDED && !cancelled) {
            ends.elementDropped(element);
        } else {
            losses.drop(element);
        }
    }

    /** Whether nothing more will come. */
    boolean isDone() {
        return done;
    }

    /** What the source failed with, once it is done. */
    @Nullable
    Throwable error() {
        return done ? error : null;
    }
}
