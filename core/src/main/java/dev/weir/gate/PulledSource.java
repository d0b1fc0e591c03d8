package dev.weir.gate;

import org.jspecify.annotations.Nullable;

/**
 * A source whose elements are taken from a queue instead of being pushed, as fusion offers it. Called inside the gate's
 * drain, one call at a time.
 *
 * @param <T> the elements
 */
public interface PulledSource<T> {

    /**
     * Takes the next element.
     *
     * @return the element, or null if there is none now
     * @throws Throwable whatever the source fails with
     */
    @Nullable
    T poll() throws Throwable;

    /**
     * Tells whether there is nothing to take now.
     *
     * @return whether {@link #poll} would return null, as far as can be told without polling
     */
    boolean isEmpty();

    /**
     * Lets go of all elements left; the source sees to it that they are discarded. Not called for a source that ends when it
     * is empty: it is only cancelled.
     */
    void clear();
}
