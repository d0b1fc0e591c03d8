package dev.weir.gate;

import dev.weir.Lease;

/**
 * The call behind a {@link CallGate}, in terms of one framework subscription: the source, which is to be subscribed once its permits
 * are granted, the upstream that it sends then, the subscriber downstream, and the framework's hooks for elements and errors that
 * are not delivered.
 *
 * <p>{@link #subscribe} is called at most once, and not at all if the call is refused or cancelled before. At most one of
 * {@link #complete} and {@link #error} is called, once at most, and not after downstream has cancelled, but for signals under way.
 *
 * @param <T> the type of the elements
 * @param <S> the type of the upstream, which the source sends when it is subscribed
 */
public interface GatedCall<T, S> extends StreamHooks<T> {

    /**
     * Subscribes the source: the permits were granted. Called on the thread that {@link CallGate} describes.
     *
     * @param lease the lease of the permits, which the gate closes; a call may settle it before
     */
    void subscribe(Lease lease);

    /**
     * Requests elements from the upstream; does nothing if that has no demand. Any thread.
     *
     * @param upstream the upstream
     * @param elements how many more, {@link Long#MAX_VALUE} for all
     */
    void requestFromSource(S upstream, long elements);

    /**
     * Cancels an upstream: because downstream has cancelled, because the source threw besides, or because it is one too many or
     * comes too late. Any thread.
     *
     * @param upstream the upstream
     */
    void cancelSource(S upstream);

    /**
     * Delivers an element downstream. For {@link CallGate#success} it is the end as well.
     *
     * @param element the element
     */
    void next(T element);

    /** Signals completion downstream. Called only if the source completes, or if {@link #canBeEmpty}. */
    void complete();

    /**
     * Signals an error downstream.
     *
     * @param error the error
     */
    void error(Throwable error);

    /**
     * Returns whether a refused call may complete without an element where {@link dev.weir.stream.OnRefused#DROP} is chosen. If
     * not, it fails.
     *
     * @return whether it may
     */
    default boolean canBeEmpty() {
        return true;
    }

    /**
     * Returns the error with which to fail because the source threw when it was subscribed.
     *
     * @param failure what the source threw, which is not fatal
     * @return the error to fail with
     */
    default Throwable sourceFailed(Throwable failure) {
        return failure;
    }
}
