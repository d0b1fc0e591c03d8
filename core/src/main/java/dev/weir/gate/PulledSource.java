package dev.weir.gate;

import org.jspecify.annotations.Nullable;

/**
 * A source whose elements are taken from a queue instead of being pushed, as synchronous fusion offers it: it is at its end
 * when the queue is empty. Called inside the gate's drain, one call at a time.
 *
 * @param <T> the elements
 */
public interface PulledSource<T> {

    /**
     * Takes the next element.
     *
     * @return the element, or null at the end
     * @throws Throwable whatever the source fails with
     */
    @Nullable
    T poll() throws Throwable;

    /**
     * Tells whether there is nothing left to take.
     *
     * @return whether {@link #poll} would return null, as far as can be told without polling
     */
    boolean isEmpty();

    /** Lets go of what is left, after the end, a failure or a cancel; where a cancel of the source does not by itself. */
    default void clear() {}
}
