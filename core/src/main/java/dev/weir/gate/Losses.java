package dev.weir.gate;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Elements that are not delivered, and errors that overtake what is held. Any thread. */
final class Losses<T> {

    private static final Object SEALED = new Object();

    private final StreamEnds<T> ends;
    private final @Nullable Consumer<Object> onDropped;

    /** Null, a throwable, or {@link #SEALED}. */
    private final AtomicReference<@Nullable Object> failure = new AtomicReference<>();

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
            tellDropped(error);
        }
    }

    /** The same, as a fused source has failed; what is fatal is thrown on. */
    void failPull(Throwable failure) {
        Throwable error;
        try {
            error = ends.pullFailed(failure);
        } catch (Throwable ofHook) {
            if (ofHook == failure) {
                throw ofHook;
            }
            error = ofHook;
        }
        fail(error);
    }

    /** The same, as an executor takes no more tasks. */
    void reject(RejectedExecutionException rejection) {
        Throwable error;
        try {
            error = ends.rejected(rejection);
        } catch (Throwable ofHook) {
            error = ofHook;
        }
        fail(error);
    }

    /** Says that downstream cannot be told of an error. */
    void tellDropped(Throwable error) {
        Hook.call(() -> ends.errorDropped(error));
    }

    /** Why the stream is to fail now, if it is. */
    @Nullable
    Throwable failure() {
        return failure.get() instanceof Throwable error ? error : null;
    }

    /**
     * From now on it is too late to fail. Answers the error that is there already: the given one, joined by what came up
     * beside it.
     */
    @Nullable
    Throwable sealWith(@Nullable Throwable error) {
        Object found = failure.getAndSet(SEALED);
        if (!(found instanceof Throwable unheard) || unheard == error) {
            return error;
        }
        if (error == null) {
            return unheard;
        }
        error.addSuppressed(unheard);
        return error;
    }
}
