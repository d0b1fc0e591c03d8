package dev.weir;

import dev.weir.time.TimeSource;

/**
 * A request to a {@link Chain}. It keeps its age in whichever member's queue it waits.
 *
 * @param permits how many are requested
 * @param sinceNanos when it was made
 * @param clock the clock of that time
 * @param number orders requests made at the same time, see {@link Waiter#number}
 */
record ChainRequest(int permits, long sinceNanos, TimeSource clock, int number) {

    /** If the waiter is itself the request of an outer chain, with the same clock, returns that request, and so its age. */
    static ChainRequest by(Waiter waiter, TimeSource clock) {
        MemberRequest outer = waiter.memberRequest();
        if (outer != null && outer.chainRequest.clock == clock) {
            return outer.chainRequest;
        }
        return new ChainRequest(waiter.permits, waiter.sinceNanos, clock, waiter.number);
    }

    /** Returns whether this was made before a request that waits at a limiter with the same clock, or is the same request. */
    boolean isBefore(Waiter waiter) {
        MemberRequest other = waiter.memberRequest();
        ChainRequest chainRequest = other == null || other.chainRequest.clock != clock ? null : other.chainRequest;
        long later = (chainRequest == null ? waiter.sinceNanos : chainRequest.sinceNanos) - sinceNanos;
        return later > 0 || (later == 0 && (chainRequest == null ? waiter.number : chainRequest.number) - number >= 0);
    }
}
