package dev.weir.gate;

import org.jspecify.annotations.Nullable;

/**
 * The stream in which an {@link ElementGate} stands, in terms of one framework subscription: the subscriber downstream, the
 * subscription upstream, and the framework's hooks for elements and errors that are not delivered.
 *
 * <p>{@link #next}, {@link #complete}, {@link #error} and {@link #requestFromSource} are called one at a time, inside the gate's
 * drain, except for the first request for elements that are read ahead or buffered: {@link ElementGate#start} makes it outside
 * the drain, which may make the next one on another thread before the first returns. Nothing follows a terminal signal but
 * {@link #discard} and the {@code dropped} methods. All others may be called on any thread that signals the gate, also while the
 * drain runs on another thread.
 *
 * @param <T> the type of the elements
 */
public interface GatedStream<T> extends StreamHooks<T> {

    /**
     * Delivers an element downstream.
     *
     * @param element the element, which has its permit
     * @return whether it used up demand: false only if the subscriber is conditional and reported that it did not take the
     *     element
     */
    boolean next(T element);

    /** Signals completion downstream. */
    void complete();

    /**
     * Signals an error downstream.
     *
     * @param error the error
     */
    void error(Throwable error);

    /**
     * Requests elements from the source. The source may deliver before this returns.
     *
     * @param elements how many more, {@link Long#MAX_VALUE} for all
     */
    void requestFromSource(long elements);

    /** Cancels the source. Called once, possibly after the source has ended; for a pulled source only in the drain. */
    void cancelSource();

    /**
     * Returns the error with which the stream fails because the source sent more than there is room for. The gate itself cancels
     * the source and drops the element.
     *
     * @param element the element that found no room
     * @return the error
     */
    Throwable overflow(T element);

    /**
     * Decides how to continue after the user's cost or key function has thrown. The gate itself drops the element.
     *
     * @param element the argument of the function
     * @param failure the exception thrown by the function
     * @return the error to fail with, or null to continue without the element
     */
    default @Nullable Throwable functionFailed(T element, Throwable failure) {
        return failure;
    }

    /**
     * Returns the error with which to fail when a fused source, or one that was asked for elements, has thrown, or a key, or the
     * limiter of a key cannot be had.
     *
     * @param failure the exception thrown by the source, its queue, a key that is compared, or what gives the limiter
     * @return the error to fail with
     */
    default Throwable sourceFailed(Throwable failure) {
        return failure;
    }
}
