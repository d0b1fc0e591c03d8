package dev.weir.redis;

import dev.weir.limit.Limit;
import dev.weir.limit.TokenBucket;

/** A limit that is kept together with other nodes, and what depends on it. Each change of the limit makes other terms, even if it is alike. */
final class Terms {

    private final Limit limit;
    private final Manners manners;
    private final long periodNanos;

    Terms(Limit limit, Manners manners) {
        this.limit = limit;
        this.periodNanos = Rates.periodNanos(limit);
        this.manners = manners.under(limit, periodNanos);
    }

    Limit limit() {
        return limit;
    }

    int capacity() {
        return limit.capacity();
    }

    /** Returns how long the limit takes to bring as many permits as it has; zero where time brings none. */
    long periodNanos() {
        return periodNanos;
    }

    /** Returns for how long what a node did matters to others: after that the store is as if it had never been there. */
    long mattersNanos() {
        return Math.max(periodNanos, Manners.RENEWALS * manners.renewNanos());
    }

    /** Returns how to deal with the store under this limit. */
    Manners manners() {
        return manners;
    }

    /**
     * Returns how late a booking may be used. Late use of a token bucket's permits shifts nothing; of permits of a window, or of a limit
     * that spaces them, it does.
     */
    long slackNanos() {
        return limit instanceof TokenBucket ? Math.max(manners.slackNanos(), periodNanos) : manners.slackNanos();
    }
}
