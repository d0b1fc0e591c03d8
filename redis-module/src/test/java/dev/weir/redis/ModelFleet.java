package dev.weir.redis;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.util.function.BiFunction;

/** Limiters on a {@link ModelStore} each, or on the store of a test. */
final class ModelFleet {

    static final Manners MANNERS = manners(WhenUnavailable.LOCAL, 1);

    private ModelFleet() {}

    static Manners manners(WhenUnavailable choice, int nodes) {
        return new TestManners().whenUnavailable(choice).nodes(nodes).build();
    }

    /** On a node of its own, with such manners. */
    static RateLimiter.Builder builder(Limit limit, Store store, WhenUnavailable choice) {
        return builder(limit, store, manners(choice, 1));
    }

    static RateLimiter.Builder builder(Limit limit, Store store, Manners manners) {
        return builder(limit, store, new Node(), manners);
    }

    static RateLimiter.Builder builder(Limit limit, Store store, Node node, Manners manners) {
        return builder(limit, (kept, time) -> store, node, manners);
    }

    static RateLimiter.Builder builder(Limit limit) {
        return builder(limit, ModelStore::new, new Node(), MANNERS);
    }

    /** On a store that is made on the limiter's time source. */
    static RateLimiter.Builder builder(
            Limit limit, BiFunction<Limit, TimeSource, Store> storeOf, Node node, Manners manners) {
        return new FleetLimiterBuilder(
                limit,
                (kept, key, time, order, now) ->
                        new FleetPolicy(kept, storeOf.apply(kept, time), node, time, order, manners, now),
                made -> {});
    }

    /** A policy that is asked without a limiter. */
    static FleetPolicy policy(Limit limit, Store store, Node node, TimeSource time, Manners manners) {
        return new FleetPolicy(limit, store, node, time, QueueOrder.OLDEST_FIRST, manners, time.nanoTime());
    }
}
