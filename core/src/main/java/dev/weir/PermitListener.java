package dev.weir;

/** Hears the answer to a request for permits. */
@FunctionalInterface
public interface PermitListener {

    /**
     * Takes the answer: called exactly once for a request that is not cancelled, never for one that is.
     *
     * <p>Called on the thread that made the answer possible: the one that asks, cancels, closes a lease, settles or gives it
     * back, charges (where a fleet shares the limit), pauses (a chain), reconfigures or closes the limiter, or a thread of the
     * time source; with nothing held, so that it may block or call the limiter again. Answers that come about on one thread are
     * delivered there in order, one after the other. What it throws goes to the uncaught exception handler of the thread.
     *
     * @param lease the permits, or the refusal
     */
    void onLease(Lease lease);
}
