package dev.weir.redis;

import dev.weir.limit.Concurrency;
import dev.weir.limit.Limit;
import dev.weir.limit.TokenBucket;
import java.util.List;

/**
 * A limit that is kept together with other nodes, and what follows from it. Keys may share the terms that they begin with; each change
 * makes other terms, even if the limit is alike.
 */
final class FleetTerms {

    private final Limit limit;
    private final List<LimitPart> parts;
    private final NodeSettings settings;
    private final long periodNanos;
    private final long whenFull;
    private final boolean returnsOnRelease;
    private final boolean countsCalls;
    private final int leaseAhead;
    private final Supply supply;

    FleetTerms(Limit limit, NodeSettings settings) {
        this.limit = limit;
        this.parts = LimitPart.of(limit);
        this.settings = settings;
        this.periodNanos =
                parts.stream().mapToLong(LimitPart::periodNanos).max().orElse(0);
        this.whenFull = parts.stream()
                .mapToLong(part -> part.anySize() ? Integer.MAX_VALUE : part.whenFull())
                .min()
                .orElse(Integer.MAX_VALUE);
        this.returnsOnRelease = parts.stream().anyMatch(part -> part.limit() instanceof Concurrency);
        this.countsCalls = parts.stream().anyMatch(LimitPart::calls);
        this.leaseAhead = periodNanos == 0 || returnsOnRelease ? 0 : Math.min(settings.leaseAhead(), limit.capacity());
        this.supply = Supply.of(parts);
    }

    Limit limit() {
        return limit;
    }

    int capacity() {
        return limit.capacity();
    }

    /** Returns how many permits are available when none is in use. */
    long whenFull() {
        return whenFull;
    }

    /** Returns the limits that are combined in it; no change of a limit changes how many they are, and what they count. */
    List<LimitPart> parts() {
        return parts;
    }

    /** Returns how long the limit takes to bring as many permits as it has; zero where time brings none. */
    long periodNanos() {
        return periodNanos;
    }

    /** Returns how fast the limit brings permits at most, part by part. */
    Supply supply() {
        return supply;
    }

    /** Returns for how long what a node did matters to others: after that the store is as if it had never been there. */
    long mattersNanos() {
        return Math.max(periodNanos, NodeSettings.RENEWALS * settings.renewNanos());
    }

    /** Returns how this node deals with the store, whatever the limit. */
    NodeSettings settings() {
        return settings;
    }

    /** Returns whether permits return when leases are closed; no change of a limit changes that. */
    boolean returnsOnRelease() {
        return returnsOnRelease;
    }

    /** Returns whether requests are counted, whatever their permits; no change of a limit changes that. */
    boolean countsCalls() {
        return countsCalls;
    }

    /**
     * Returns how many permits to lease ahead, for a period: none where permits return on release, as others wait for them, and no
     * more than there are.
     */
    int leaseAhead() {
        return leaseAhead;
    }

    /**
     * Returns how late a booking may be used. Late use of a token bucket's permits shifts nothing; of permits of a window, or of a limit
     * that spaces them, it does.
     */
    long slackNanos() {
        return limit instanceof TokenBucket ? Math.max(settings.slackNanos(), periodNanos) : settings.slackNanos();
    }
}
