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
     * delivered there in order, one after the other: what is asked for from within a listener, and is there at once, is told when
     * that one has returned. So it may ask again and again without a stack that grows, and must not wait for that answer, nor for
     * permits that are taken by it. What it throws goes to the uncaught exception handler of the thread.
     *
     * @param lease the permits, or the refusal
     */
    void onLease(Lease lease);

    /**
     * Hears of permits that are there at once before {@code acquire} returns, also from within another listener: for those who see
     * to it themselves that nothing recurses, as operators of streams do, or who wait for the answer, as {@link RateGate} does. What
     * a queue has decided is told in turn all the same: all that is asked of a chain, and a refusal for want of room or time. Who
     * wraps a direct listener makes another.
     */
    @FunctionalInterface
    interface Direct extends PermitListener {}
}
