package dev.weir.redis;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;

/** Limiters on a {@link ModelStore} each. */
final class ModelFleet {

    /** Books the first alone, and neither polls nor renews. */
    static final Manners MANNERS = new Manners(
            50_000_000, 100_000_000, 100_000_000, 50_000_000, 0, 0, 0, 0, WhenUnavailable.LOCAL, new Shares(1));

    private ModelFleet() {}

    static RateLimiter.Builder builder(Limit limit) {
        return new FleetLimiterBuilder(
                limit,
                (kept, time, now) -> new FleetPolicy(kept, new ModelStore(kept, time), new Node(), time, MANNERS, now),
                made -> {});
    }
}
