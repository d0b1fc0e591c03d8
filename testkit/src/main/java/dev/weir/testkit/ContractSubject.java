package dev.weir.testkit;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;

/** Whom a contract is held against: tells the suite how to make the limiters that it tries. */
public interface ContractSubject {

    /**
     * Starts a limiter. The suite sets the rest, the time source in particular.
     *
     * @param limit what to keep, from {@link #limit}, or {@link #limitOfOtherKind} where the suite tries what must fail
     * @return a builder with no other than the usual settings
     */
    RateLimiter.Builder builder(Limit limit);

    /**
     * Returns a limit that has all its permits at first, and again one period after all of them were taken at one instant
     * and their leases, where that matters, were closed: then, and not before, whenever that instant was.
     *
     * @param permits the capacity
     * @param period the time in which permits come back, where time brings them
     * @return the limit, always of the same kind
     */
    Limit limit(int permits, Duration period);

    /**
     * Returns a limit that {@link RateLimiter#reconfigure} must not accept in place of a {@link #limit}.
     *
     * @return a limit of another kind
     */
    default Limit limitOfOtherKind() {
        return Limit.unlimited();
    }
}
