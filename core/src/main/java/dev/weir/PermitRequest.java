package dev.weir;

/** A request for permits that may still be waiting. */
public interface PermitRequest {

    /**
     * Withdraws the request. If it was still waiting it leaves the queue at once, its room is free, and it counts as
     * neither acquired nor refused.
     *
     * @return true if the listener will never be called; false if the request was settled or cancelled before
     */
    boolean cancel();

    /**
     * Tells whether the request has been granted, refused or cancelled. The listener may still be about to be called.
     *
     * @return whether it no longer waits
     */
    boolean isSettled();
}
