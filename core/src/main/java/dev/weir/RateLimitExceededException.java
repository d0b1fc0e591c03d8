package dev.weir;

/**
 * Thrown by {@link RateGate#waitToProceed()}, and signalled by a stream, when the limiter refuses. Limiters themselves never
 * throw it: their answer is a {@link Lease}. Has no stack trace, which on a stream would only show the timer.
 */
public final class RateLimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Lease lease;

    /** The limiter that was asked. */
    private final String limiterName;

    /**
     * Creates an exception from a refusal.
     *
     * @param lease the refused lease
     * @param limiterName the name of the limiter that was asked
     */
    public RateLimitExceededException(Lease lease, String limiterName) {
        super(message(lease, limiterName), lease.cause().orElse(null), true, false);
        this.lease = lease;
        // A limiter of a foreign class may have none: its refusal is told all the same
        this.limiterName = String.valueOf(limiterName);
    }

    private static String message(Lease lease, String limiterName) {
        String reason = lease.reason().map(why -> ": " + why).orElse("");
        String retry = lease.retryAfter().map(after -> ", retry after " + after).orElse("");
        return "Rate limiter '" + limiterName + "' refused " + lease.permits() + " permit(s)" + reason + retry;
    }

    /**
     * Returns the refusal, with its reason and the time after which to try again.
     *
     * @return the refused lease; null only after deserialization
     */
    public Lease lease() {
        return lease;
    }

    /**
     * Returns the name of the limiter that was asked.
     *
     * @return the name
     */
    public String limiterName() {
        return limiterName;
    }
}
