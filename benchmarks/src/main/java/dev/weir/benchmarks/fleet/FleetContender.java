package dev.weir.benchmarks.fleet;

import dev.weir.benchmarks.Compared;
import dev.weir.benchmarks.Kind;
import java.util.function.Function;

/**
 * Who keeps limits at a server. Each is measured in a virtual machine that knows no other; all ask the same server, each in a
 * database of its own.
 */
public enum FleetContender implements Compared {
    NOTHING(Kind.FLOOR, "no limit", site -> new NoLimits(), Bound.NONE),
    SCRIPT(Kind.FLOOR, "empty script", ScriptLimits::floor, Bound.NONE),
    SCRIPT_ELSEWHERE(Kind.FLOOR, "empty script, told on other threads", ScriptLimits::floorElsewhere, Bound.NONE),
    EXACT(Kind.OURS, "exact window", OurLimits::exact, Bound.EXACT),
    TOKENS(Kind.OURS, "token bucket", OurLimits::tokens, Bound.BUCKET),
    EXACT_AHEAD(Kind.OURS, "exact window, leased ahead", OurLimits::exactAhead, Bound.EXACT_AHEAD),
    BUCKET4J(Kind.PEER, "Bucket4j", BucketLimits::plain, Bound.BUCKET),
    BUCKET4J_BATCHING(Kind.PEER, "Bucket4j, batching", BucketLimits::batching, Bound.BUCKET),
    REDISSON(Kind.PEER, "Redisson", RedissonLimits::new, Bound.EXACT),
    GATEWAY(Kind.PEER, "Spring Cloud Gateway's script", ScriptLimits::gateway, Bound.BUCKET);

    private final Kind kind;
    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // A recipe without a state.
    private final Function<Site, SharedLimits> limits;

    private final Bound bound;

    FleetContender(Kind kind, String label, Function<Site, SharedLimits> limits, Bound bound) {
        this.kind = kind;
        this.label = label;
        this.limits = limits;
        this.bound = bound;
    }

    /** What may pass in any one period, as the library promises. */
    private enum Bound {
        NONE,
        /** As many as there are permits. */
        EXACT,
        /** What the nodes have leased ahead may be used with it. */
        EXACT_AHEAD,
        /** A full bucket, and what flows into it meanwhile. */
        BUCKET
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public String label() {
        return label;
    }

    SharedLimits limits(Site site) {
        return limits.apply(site);
    }

    /** The most that may pass in any one period, by the permits of the limit. */
    double bound(Site site) {
        return switch (bound) {
            case NONE -> Double.POSITIVE_INFINITY;
            case EXACT -> 1;
            case EXACT_AHEAD -> 1 + (double) site.nodes() * OurLimits.leasedAhead(site) / site.permits();
            case BUCKET -> 2;
        };
    }
}
