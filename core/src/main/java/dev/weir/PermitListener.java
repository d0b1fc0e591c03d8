package dev.weir;

/** Receives the answer to a request for permits. */
@FunctionalInterface
public interface PermitListener {

    /**
     * Receives the answer. Called exactly once for a request that is not cancelled, never for one that is.
     *
     * <p>Called on the thread that made the answer possible: the one that requests permits, cancels a request, closes, settles or
     * gives back a lease, charges (if the limit is shared by a fleet), pauses (a chain), reconfigures or closes the limiter, a
     * thread of the time source, or one on which a policy of your own signals. No locks are held, so it may call the limiter again.
     * It should return quickly: the thread may be an event loop, as that of whoever closed a lease, and the answers that were decided
     * together with this one wait for it.
     *
     * <p>Answers decided on one thread are delivered there in order, one after the other: if a listener makes a request that is
     * answered immediately, that answer is delivered after the listener has returned. So a listener may make requests again and
     * again without growing the stack, but it must not wait for their answers, nor for permits they take. What it throws goes to
     * the uncaught exception handler of the thread.
     *
     * @param lease the granted permits, or the refusal
     */
    void onLease(Lease lease);

    /**
     * A listener that is called inside {@code acquire} whenever the answer needs no wait, even while another listener runs on this
     * thread. For callers that need it at once, as {@link RateGate} does, and for callbacks that cannot recurse without bound.
     * Answers from a queue still come in order. A wrapper has to implement this interface, too.
     */
    @FunctionalInterface
    interface Direct extends PermitListener {

        /*
         * An answer needs no wait if the permits are available, the request must not wait, or so many permits are waited for that
         * there can be no room for it. All else is decided by a queue: also all answers of a chain that may wait, and other refusals
         * because the queue is full or the wait is too long.
         *
         * While such a listener runs after a wait, others that are answered through what it does, and those whose turn is before
         * them, are called inside it.
         */
    }
}
