package dev.weir.gate;

import org.jspecify.annotations.Nullable;

/**
 * A source whose elements are taken from a queue instead of being pushed, as in synchronous fusion: it has ended when the queue
 * is empty. Called inside the gate's drain, one call at a time.
 *
 * @param <T> the type of the elements
 */
public interface PulledSource<T> {

    /**
     * Takes the next element.
     *
     * @return the element, or null at the end
     * @throws Throwable the error of the source
     */
    @Nullable
    T poll() throws Throwable;

    /**
     * Returns whether there are no elements left to take.
     *
     * @return whether {@link #poll} would return null, as far as is known without polling
     */
    boolean isEmpty();

    /** Clears the remaining elements, after the end, a failure or a cancellation, if cancelling the source does not do so. */
    default void clear() {}
}
