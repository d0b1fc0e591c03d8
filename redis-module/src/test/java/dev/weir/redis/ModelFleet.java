package dev.weir.redis;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.util.function.BiFunction;

/** Limiters on a {@link ModelStore} each, or on the store of a test. */
final class ModelFleet {

    static final NodeSettings SETTINGS = settings(WhenUnavailable.LOCAL, 1);

    private ModelFleet() {}

    static NodeSettings settings(WhenUnavailable choice, int nodes) {
        return new TestSettings().whenUnavailable(choice).nodes(nodes).build();
    }

    /** On a node of its own, that decides so in an outage. */
    static RateLimiter.Builder builder(Limit limit, Store store, WhenUnavailable choice) {
        return builder(limit, store, settings(choice, 1));
    }

    static RateLimiter.Builder builder(Limit limit, Store store, NodeSettings settings) {
        return builder(limit, store, Nodes.node(), settings);
    }

    static RateLimiter.Builder builder(Limit limit, Store store, Node node, NodeSettings settings) {
        return builder(limit, (kept, time) -> store, node, settings);
    }

    static RateLimiter.Builder builder(Limit limit) {
        return builder(limit, ModelStore::new, Nodes.node(), SETTINGS);
    }

    /** On a store that is made on the limiter's time source. */
    static RateLimiter.Builder builder(
            Limit limit, BiFunction<Limit, TimeSource, Store> storeOf, Node node, NodeSettings settings) {
        return new FleetLimiterBuilder(
                limit,
                (kept, key, time, order, now) -> new FleetPolicy(
                        new FleetTerms(kept, settings), storeOf.apply(kept, time), node, time, order, now),
                made -> {});
    }

    /** A policy that is asked without a limiter. */
    static FleetPolicy policy(Limit limit, Store store, Node node, TimeSource time, NodeSettings settings) {
        FleetTerms terms = new FleetTerms(limit, settings);
        return new FleetPolicy(terms, store, node, time, QueueOrder.OLDEST_FIRST, time.nanoTime());
    }
}
