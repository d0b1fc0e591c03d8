package dev.weir.gate;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Elements that are not delivered. Any thread. */
final class Losses<T> {

    /** The failure of the stream, to which a user's consumer that throws may lead. */
    final StreamFailure failure;

    private final StreamEnds<T> ends;
    private final @Nullable Consumer<Object> onDropped;

    Losses(StreamEnds<T> ends, @Nullable Consumer<Object> onDropped) {
        this.ends = ends;
        this.onDropped = onDropped;
        this.failure = new StreamFailure(ends);
    }

    /** Reports that an element will not be delivered. An exception thrown by the user's consumer fails the stream. */
    void drop(T element) {
        try {
            if (onDropped != null) {
                onDropped.accept(element);
            }
        } catch (Throwable thrown) {
            failure.set(thrown);
        } finally {
            ends.discard(element);
        }
    }
}
