package dev.weir.redis;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;

/** Limiters on a {@link ModelStore} each, or on the store of a test. */
final class ModelFleet {

    static final Manners MANNERS = manners(WhenUnavailable.LOCAL, 1);

    private ModelFleet() {}

    /** Books the first alone, and neither polls nor renews. */
    static Manners manners(WhenUnavailable choice, int nodes) {
        return new Manners(50_000_000, 100_000_000, 100_000_000, 50_000_000, 0, 0, 0, 0, choice, new Shares(nodes));
    }

    /** On a node of its own, with such manners. */
    static RateLimiter.Builder builder(Limit limit, Store store, WhenUnavailable choice) {
        return builder(limit, store, manners(choice, 1));
    }

    static RateLimiter.Builder builder(Limit limit, Store store, Manners manners) {
        return builder(limit, store, new Node(), manners);
    }

    static RateLimiter.Builder builder(Limit limit, Store store, Node node, Manners manners) {
        return new FleetLimiterBuilder(
                limit, (kept, time, now) -> new FleetPolicy(kept, store, node, time, manners, now), made -> {});
    }

    static RateLimiter.Builder builder(Limit limit) {
        return new FleetLimiterBuilder(
                limit,
                (kept, time, now) -> new FleetPolicy(kept, new ModelStore(kept, time), new Node(), time, MANNERS, now),
                made -> {});
    }
}
