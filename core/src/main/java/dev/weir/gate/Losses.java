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

    /** Reports that an element will not be delivered. An exception thrown by the user's consumer fails the stream. */
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

    /** Fails the stream in the drain's next pass, which the caller must trigger. */
    void fail(Throwable error) {
        if (!failure.compareAndSet(null, error)) {
            tellDropped(error);
        }
    }

    /** Fails the stream because a fused source, or one asked for more, has thrown; fatal exceptions are rethrown. */
    void failSource(Throwable failure) {
        Throwable error;
        try {
            error = ends.sourceFailed(failure);
        } catch (Throwable ofHook) {
            if (ofHook == failure) {
                throw ofHook;
            }
            error = ofHook;
        }
        fail(error);
    }

    /** Fails the stream because an executor accepts no more tasks. */
    void reject(RejectedExecutionException rejection) {
        fail(Hook.error(() -> ends.rejected(rejection)));
    }

    /** Reports an error that can no longer be delivered downstream. */
    void tellDropped(Throwable error) {
        Hook.call(() -> ends.errorDropped(error));
    }

    /** The error with which the stream is to fail now; null if none. */
    @Nullable
    Throwable failure() {
        return failure.get() instanceof Throwable error ? error : null;
    }

    /**
     * Seals: later errors can no longer fail the stream. Returns the error to end with: the given one, with a pending failure
     * added as suppressed, or else the pending failure.
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
