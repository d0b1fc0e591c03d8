package dev.weir.gate;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Elements that are not delivered. Any thread. */
final class Losses<T> {

    private final GatedStream<T> stream;
    private final StreamFailure failure;
    private final @Nullable Consumer<Object> onDropped;

    Losses(GatedStream<T> stream, StreamFailure failure, @Nullable Consumer<Object> onDropped) {
        this.stream = stream;
        this.failure = failure;
        this.onDropped = onDropped;
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
            Hook.call(() -> stream.discard(element));
        }
    }
}
