package dev.weir.gate;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Elements that are not delivered, and errors that overtake what is held. Any thread. */
final class Losses<T> {

    private static final Throwable TOO_LATE = new IllegalStateException("The stream has ended");

    private final StreamEnds<T> ends;
    private final @Nullable Consumer<Object> onDropped;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Losses(StreamEnds<T> ends, @Nullable Consumer<Object> onDropped) {
        this.ends = ends;
        this.onDropped = onDropped;
    }

    /** Says that an element will not be delivered; what the user's consumer throws fails the stream. */
    void drop(T element) {
        try {
            if (onDropped != null) {
                onDropped.accept(element);
            }
        } catch (Throwable thrown) {
            fail(thrown);
        } finally {
            ends.discard(element);
        }
    }

    /** Fails the stream when the drain looks next, which the caller sees to. */
    void fail(Throwable error) {
        if (!failure.compareAndSet(null, error)) {
            ends.errorDropped(error);
        }
    }

    /** Why the stream is to fail now, if it is. */
    @Nullable Throwable failure() {
        return failure.get();
    }

    /** Answers the failure that nobody has looked at, if any; from now on it is too late for another. */
    @Nullable Throwable seal() {
        Throwable last = failure.getAndSet(TOO_LATE);
        return last == TOO_LATE ? null : last;
    }
}
