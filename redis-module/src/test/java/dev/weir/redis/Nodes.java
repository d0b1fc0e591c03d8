package dev.weir.redis;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** Nodes of a fleet that tell nobody of outages, and limiters on a store that a test has. */
final class Nodes {

    private Nodes() {}

    static Node node() {
        return node(() -> ThreadLocalRandom.current().nextLong());
    }

    /** Pauses vary at random. */
    static Node node(RandomGenerator random) {
        return new Node(random, cause -> {});
    }

    /** Limiters of a node of their own, whose scripts run there. */
    static RedisRateLimiters on(Commands commands, RedisOptions options) {
        return on(commands, options, node());
    }

    static RedisRateLimiters on(Commands commands, RedisOptions options, Node node) {
        return new RedisRateLimiters(FleetWiring.over(commands, options, node));
    }
}
