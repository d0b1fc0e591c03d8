package dev.weir.benchmarks.decision;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.function.BiFunction;

/** The limiters of this library. */
final class Weir {

    private Weir() {}

    /** Asks for a lease and looks at it, as callers do. */
    static Decision acquiring(Outcome outcome, int permits, BiFunction<Integer, Duration, Limit> kind) {
        RateLimiter limiter = limiter(outcome, permits, kind);
        return () -> limiter.tryAcquire().isAcquired();
    }

    /** Asks for a lease, looks at it and closes it. */
    static Decision acquiringAndClosing(Outcome outcome, int permits, BiFunction<Integer, Duration, Limit> kind) {
        RateLimiter limiter = limiter(outcome, permits, kind);
        return () -> {
            try (Lease lease = limiter.tryAcquire()) {
                return lease.isAcquired();
            }
        };
    }

    /** Asks without a lease. */
    static Decision consuming(Outcome outcome, int permits, BiFunction<Integer, Duration, Limit> kind) {
        RateLimiter limiter = limiter(outcome, permits, kind);
        return () -> limiter.tryConsume(1);
    }

    private static RateLimiter limiter(Outcome outcome, int permits, BiFunction<Integer, Duration, Limit> kind) {
        RateLimiter limiter = RateLimiter.of(kind.apply(permits, outcome.period(permits)));
        if (outcome == Outcome.REFUSED) {
            exhaust(limiter, permits);
        }
        return limiter;
    }

    /** Takes all permits at once, and one by one what is left where a limit counts calls. */
    private static void exhaust(RateLimiter limiter, int permits) {
        boolean more = limiter.tryAcquire(permits).isAcquired();
        while (more) {
            more = limiter.tryAcquire().isAcquired();
        }
    }
}
