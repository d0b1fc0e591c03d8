package dev.weir.testkit;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;

/** The subject that a contract tests: implements how to create the limiters under test. */
public interface ContractSubject {

    /**
     * Returns the builder of a limiter. The suite sets the rest, the time source in particular.
     *
     * @param limit the limit to enforce, from {@link #limit}, or from {@link #limitOfOtherKind} to test what must fail
     * @return a builder with default settings
     */
    RateLimiter.Builder builder(Limit limit);

    /**
     * Returns a limit that has all its permits at first. When all of them are taken at one instant, whenever that is, and their
     * leases, where that matters, are closed, it has all of them again exactly one period later, and not before.
     *
     * @param permits the capacity
     * @param period the time in which permits return, if they return by time
     * @return the limit, always of the same kind
     */
    Limit limit(int permits, Duration period);

    /**
     * Returns the bound that a {@link #limit} promises to keep. Only with it do the contracts check that the limit keeps it:
     * otherwise the limit's own policy is the measure of what its limiters may grant.
     *
     * @param permits the capacity
     * @param period the time in which permits return
     * @param interval the length of any interval, which includes its beginning but not its end
     * @return the most permits that may be granted within it; by default {@link Long#MAX_VALUE}, which promises nothing
     */
    default long mostIn(int permits, Duration period, Duration interval) {
        return Long.MAX_VALUE;
    }

    /**
     * Returns a limit that {@link RateLimiter#reconfigure} must not accept in place of a {@link #limit}.
     *
     * @return a limit of another kind
     */
    default Limit limitOfOtherKind() {
        return Limit.unlimited();
    }
}
