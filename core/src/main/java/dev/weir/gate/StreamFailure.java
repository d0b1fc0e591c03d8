package dev.weir.gate;

import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The error with which a stream is to fail before any further element. The first one counts. Any thread. */
final class StreamFailure {

    private static final Object SEALED = new Object();

    private final GatedStream<?> stream;

    /** Null, a throwable, or {@link #SEALED}. */
    private final AtomicReference<@Nullable Object> state = new AtomicReference<>();

    StreamFailure(GatedStream<?> stream) {
        this.stream = stream;
    }

    /** Fails the stream in the drain's next pass, which the caller must trigger. */
    void set(Throwable error) {
        if (!state.compareAndSet(null, error)) {
            tellDropped(error);
        }
    }

    /** Fails the stream because a fused source, one asked for elements, or a key has thrown; fatal exceptions are rethrown. */
    void setBySource(Throwable thrown) {
        stream.throwIfFatal(thrown);
        set(Hook.error(() -> stream.sourceFailed(thrown)));
    }

    /** Fails the stream because an executor accepts no more tasks. */
    void setByExecutor(RejectedExecutionException rejection) {
        set(Hook.error(() -> stream.rejected(rejection)));
    }

    /** Reports an error that can no longer be delivered downstream. */
    void tellDropped(Throwable error) {
        Hook.call(() -> stream.errorDropped(error));
    }

    /** The error with which the stream is to fail now; null if none. */
    @Nullable
    Throwable pending() {
        return state.get() instanceof Throwable error ? error : null;
    }

    /**
     * Seals: later errors can no longer fail the stream. Returns the error to end with: the given one, with the pending one added
     * as suppressed, or else the pending one. An error that suppresses nothing cannot tell of the pending one, which is reported instead.
     */
    @Nullable
    Throwable sealWith(@Nullable Throwable error) {
        Object found = state.getAndSet(SEALED);
        if (!(found instanceof Throwable unheard) || unheard == error) {
            return error;
        }
        if (error == null) {
            return unheard;
        }
        error.addSuppressed(unheard);
        if (Arrays.stream(error.getSuppressed()).noneMatch(told -> told == unheard)) {
            tellDropped(unheard);
        }
        return error;
    }
}
