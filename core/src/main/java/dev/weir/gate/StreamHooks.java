package dev.weir.gate;

import java.util.concurrent.RejectedExecutionException;

/**
 * What a framework does with elements and errors that a gate cannot deliver. Any thread.
 *
 * @param <T> the type of the elements
 */
public interface StreamHooks<T> {

    /**
     * Receives an element that had arrived in time and will not be delivered, or that arrived after downstream had cancelled, for the
     * framework's own hook; of a stream of elements, {@link dev.weir.stream.StreamOptions#onDropped} has received it already. Must not
     * throw.
     *
     * @param element the element that is not delivered
     */
    void discard(T element);

    /**
     * Receives an element that arrived after the source had signalled its end.
     *
     * @param element the element that is not delivered
     */
    void elementDropped(T element);

    /**
     * Receives an error that can no longer be delivered downstream, because downstream has received its terminal signal or has
     * cancelled, or that the limiter of a call threw when the permit was returned to it.
     *
     * @param error the error that is not delivered
     */
    void errorDropped(Throwable error);

    /**
     * Returns the error with which the stream fails because a timer or an executor accepts no more tasks.
     *
     * @param rejection the exception thrown by the timer or executor
     * @return the error
     */
    default Throwable rejected(RejectedExecutionException rejection) {
        return rejection;
    }

    /**
     * Throws what the framework considers fatal: it is told to nobody but the thread on which it was thrown. Called before any hook
     * that makes the error to fail with.
     *
     * @param thrown what foreign code has thrown
     */
    default void throwIfFatal(Throwable thrown) {}
}
