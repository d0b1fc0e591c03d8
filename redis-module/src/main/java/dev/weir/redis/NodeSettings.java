package dev.weir.redis;

/**
 * Parameters of how a node deals with its store: timing, in nanoseconds, leasing ahead, and what to do in an outage.
 *
 * @param deadlineNanos how long to wait for an answer
 * @param lifeNanos how long granted permits may be kept before they are used
 * @param slackNanos how late booked permits may be used
 * @param aheadNanos how far ahead to book for requests that wait behind the first
 * @param pollNanos after how long to ask again, at the earliest, where the store cannot say when permits return
 * @param renewNanos after how long to renew the permits held of a concurrency limit
 * @param leaseAhead how many permits to lease ahead, at most; how many of a limit, and for how long, its {@link FleetTerms} say
 * @param whenUnavailable how requests are decided while there is no answer
 * @param shares this node's share of a limit in an outage
 */
record NodeSettings(
        long deadlineNanos,
        long lifeNanos,
        long slackNanos,
        long aheadNanos,
        long pollNanos,
        long renewNanos,
        int leaseAhead,
        WhenUnavailable whenUnavailable,
        Shares shares) {

    /** Coming back sooner than that would only be spinning. */
    static final long SOONEST_NANOS = 1_000_000;

    /** How often to try again at once, as the state or a trip has ended meanwhile, before coming back later. */
    static final int ROUNDS = 4;

    /** How often held permits are renewed while a lease of the store lasts. */
    static final int RENEWALS = 3;

    /** Returns how long a node takes no more than its share when the store is back: until the other nodes have noticed, too. */
    long recoveryNanos() {
        return whenUnavailable == WhenUnavailable.LOCAL && shares.areSeveral()
                ? Circuit.LONGEST_NANOS + deadlineNanos
                : 0;
    }
}
