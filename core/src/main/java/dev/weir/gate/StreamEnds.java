package dev.weir.gate;

import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The two ends of a stream between which an {@link ElementGate} stands, as one subscription of a framework has them: the
 * subscriber downstream, the subscription upstream, and the framework's hooks for what falls beside.
 *
 * <p>{@link #next}, {@link #complete}, {@link #error}, {@link #requestFromSource} and {@link #ended} are called one at a
 * time, inside the gate's drain; nothing follows a terminal signal but {@link #discard}, the {@code dropped} methods and
 * {@link #ended}. All others may be called on any thread that signals the gate, also while the drain runs on another.
 *
 * @param <T> the elements
 */
public interface StreamEnds<T> {

    /**
     * Hands an element downstream.
     *
     * @param element which has its permit
     * @return whether it used up demand: false only where the subscriber filters and said that it did not take it
     */
    boolean next(T element);

    /** Tells downstream that nothing more comes. */
    void complete();

    /**
     * Tells downstream that the stream has failed.
     *
     * @param error why
     */
    void error(Throwable error);

    /**
     * Asks the source for elements. The source may deliver before this returns.
     *
     * @param elements how many more, {@link Long#MAX_VALUE} for all
     */
    void requestFromSource(long elements);

    /** Cancels the source. Called once, possibly after the source has ended; for a pulled source only in the drain. */
    void cancelSource();

    /**
     * Hears an element that had arrived in time and will not be delivered, for the framework's own hook;
     * {@link dev.weir.stream.StreamOptions#onDropped} has heard it already. Must not throw.
     *
     * @param element what is not delivered
     */
    void discard(T element);

    /**
     * Hears an element that arrived after the source itself had said that it was at its end.
     *
     * @param element what is not delivered
     */
    void elementDropped(T element);

    /**
     * Hears an error that downstream can no longer be told, as it has had its terminal signal or cancelled.
     *
     * @param error what is not delivered
     */
    void errorDropped(Throwable error);

    /**
     * Makes the error with which the stream fails because the source sent more than there is room for. The gate cancels the
     * source and drops the element itself.
     *
     * @param element which has no room
     * @return the error
     */
    Throwable overflow(T element);

    /**
     * Makes the error with which the stream fails because a timer or an executor takes no more tasks.
     *
     * @param rejection how it said so
     * @return the error
     */
    default Throwable rejected(RejectedExecutionException rejection) {
        return rejection;
    }

    /**
     * Decides what follows when the user's cost or key function has failed. The gate drops the element itself.
     *
     * @param element which the function was given
     * @param failure what it threw
     * @return the error to fail with, or null to go on without the element
     */
    default @Nullable Throwable functionFailed(T element, Throwable failure) {
        return failure;
    }

    /**
     * Decides with what to fail when a fused source has. What the framework takes for fatal it throws on.
     *
     * @param failure what the queue of the source threw
     * @return the error to fail with
     */
    default Throwable pullFailed(Throwable failure) {
        return failure;
    }

    /** The gate is done: lets go of whatever the subscription holds, such as a worker. Called once, last. */
    default void ended() {}
}
