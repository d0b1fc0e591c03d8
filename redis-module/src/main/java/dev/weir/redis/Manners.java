package dev.weir.redis;

import dev.weir.limit.Limit;

/**
 * How a node deals with its store, in nanoseconds.
 *
 * @param deadlineNanos how long an answer is waited for
 * @param lifeNanos how long permits that were granted may be kept before they are used
 * @param leaseNanos how long those may be, at most, that are kept in hand for later
 * @param slackNanos how late permits that were booked may be used
 * @param aheadNanos how far ahead those are booked that wait behind the first
 * @param pollNanos after how long to ask again where the store cannot tell, or zero if it signals by itself
 * @param renewNanos after how long to renew what is held of a limit of concurrency, or zero if that is not needed
 * @param leaseAhead how many permits to keep in hand, at most
 * @param whenUnavailable what becomes of requests while there is no answer
 * @param shares what this node may do on its own
 */
record Manners(
        long deadlineNanos,
        long lifeNanos,
        long leaseNanos,
        long slackNanos,
        long aheadNanos,
        long pollNanos,
        long renewNanos,
        int leaseAhead,
        WhenUnavailable whenUnavailable,
        Shares shares) {

    /** Coming back sooner than that would only be spinning. */
    static final long SOONEST_NANOS = 1_000_000;

    /**
     * The same for a limit: nothing is kept in hand for longer than its period, or more than it has; and nothing of what only comes
     * back when it is given back, as others wait for that.
     */
    Manners under(Limit limit) {
        long period = Rates.periodNanos(limit);
        boolean keepsNothing = period == 0 || Rates.returnsOnRelease(limit);
        return new Manners(
                deadlineNanos,
                lifeNanos,
                Math.max(1, Math.min(leaseNanos, period)),
                slackNanos,
                aheadNanos,
                pollNanos,
                renewNanos,
                keepsNothing ? 0 : Math.min(leaseAhead, limit.capacity()),
                whenUnavailable,
                shares);
    }

    /** Returns how long a node goes on alone when the store is back: until the others have noticed, too. */
    long settleNanos() {
        return whenUnavailable == WhenUnavailable.LOCAL && shares.areSeveral()
                ? Circuit.LONGEST_NANOS + deadlineNanos
                : 0;
    }
}
