package dev.weir;

/** A request for permits that may still be waiting. */
public interface PermitRequest {

    /**
     * Cancels the request. If it was still waiting, it leaves the queue and frees its room at once, and counts as neither
     * acquired nor refused.
     *
     * @return true if the listener will never be called; false if the request was already granted, refused or cancelled
     */
    boolean cancel();

    /**
     * Returns whether the request has been granted, refused or cancelled. The listener may not have been called yet.
     *
     * @return true if it no longer waits
     */
    boolean isSettled();
}
