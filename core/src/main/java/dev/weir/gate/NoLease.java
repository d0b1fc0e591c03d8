package dev.weir.gate;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the lease that a limiter should have answered with. It throws when it is asked whether it is a grant, so it ends
 * what it was meant for in the same way as a lease that cannot be read.
 *
 * @param limiter the limiter that owes the lease
 */
record NoLease(RateLimiter limiter) implements Lease {

    static Lease unlessGiven(@Nullable Lease lease, RateLimiter limiter) {
        return lease == null ? new NoLease(limiter) : lease;
    }

    /** Returns the error that reports a null from a limiter, by name if it tells its name. */
    static NullPointerException missing(String what, RateLimiter limiter) {
        String origin;
        try {
            origin = ", from limiter '" + limiter.name() + "'";
        } catch (Throwable nameless) {
            origin = "";
        }
        return new NullPointerException(what + origin);
    }

    @Override
    public boolean isAcquired() {
        throw missing("lease", limiter);
    }

    @Override
    public int permits() {
        return 0;
    }

    @Override
    public Optional<RefusalReason> reason() {
        return Optional.empty();
    }

    @Override
    public Optional<Duration> retryAfter() {
        return Optional.empty();
    }

    @Override
    public void settle(int actualPermits) {}

    @Override
    public void close() {}
}
