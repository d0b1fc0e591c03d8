package dev.weir.gate;

import dev.weir.RateLimiter;
import dev.weir.limit.AllOf;
import dev.weir.limit.CountingCalls;
import dev.weir.limit.FixedWindow;
import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.limit.SlidingWindow;
import dev.weir.limit.SlidingWindowCounter;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.limit.TokenBucket;
import dev.weir.time.TimeSource;

/**
 * Takes the permits of a stream's own limiter after their elements have gone, several at a time if the limit has many: those of a
 * hand. Used only inside the drain.
 */
final class DeferredPermits {

    /*
     * Idea. Between taking a permit and the arrival of its element downstream, a thread may be delayed arbitrarily: by class
     * loading, by the garbage collector, by other threads. That element is late, but the ones behind it are not, so downstream
     * sees them closer together than the limit allows. Therefore available permits are only looked at, up to that many elements
     * go, and the permits of those that have gone are then taken. For an element that passes in nanoseconds, reading the clock is
     * nearly all that a permit costs, so several permits are looked at together if permits are plentiful.
     *
     *      paid first:   clock take go        clock take go        clock take go
     *      one by one:   clock look go clock take        clock look go clock take
     *      hand by hand: clock look go go go clock take        clock look go go go clock take
     *
     * Why no interval sees too many elements. Nobody else takes from the limiter, and none of the limits below ever has fewer
     * permits available as time passes; so permits seen available stay available until they are taken. An element goes after the
     * look that allowed it and before the take that records it. So the limit would have allowed it at a time no later than the
     * element goes, and what counts against later elements counts from a time no earlier. That holds however long the thread is
     * delayed, and wherever.
     *
     * What it costs. A permit counts from a moment that is late by the time the elements of one hand take to pass. If permits are
     * plentiful, that costs nothing except, when they become scarce, one hand that returns late: a small part of the available
     * permits. If permits are scarce, and what is taken late returns late, a hand is a very small part of the limit: if elements
     * are slow, less than one part in SHARE is lost, and nothing if they pass quickly. A hand of one may be a large part of a
     * limit of few permits. So the time that its element takes is measured; if that is more than one part in SHARE of the time
     * for which a permit counts, twice in a row, permits are taken first. Only one now and then, increasingly seldom, is taken
     * afterwards, to see whether elements are still slow.
     */

    /** One part in this many of a limit may be lost: that many permits are looked at together however few are available. */
    private static final int SHARE = 128;

    /** One part in this many of the available permits is looked at together, if that is more. */
    private static final int SHARE_OF_PLENTY = 16;

    private static final int LARGEST = 256;

    /** The initial number of elements whose permits are taken first before the next measurement. */
    private static final int OFTEN = 8;

    /** How often that number doubles, at most. */
    private static final int DOUBLINGS = 7;

    private final RateLimiter limiter;
    private final TimeSource time;

    /** Whether permits may be taken after their elements have gone. */
    private final boolean takesLater;

    private final boolean takesTogether;
    private final int largestOfFew;

    /** An element that takes longer than this is slow. */
    private final long slowNanos;

    /** The maximum number of permits to look at next. */
    private int size = 1;

    /** The number of permits that have been looked at and not been taken. */
    private int seen;

    /** The number of those that have not been used. */
    private int left;

    /** The time since which a hand of one is in use. */
    private long usedAt;

    /** The number of consecutive measured elements that were slow. */
    private int slow;

    /** The number of elements whose permits are still to be taken first before the next measurement. */
    private int paidFirst;

    DeferredPermits(RateLimiter limiter, TimeSource time) {
        Limit limit = limiter.limit();
        this.limiter = limiter;
        this.time = time;
        this.takesLater = staysThere(limit);
        this.takesTogether = takesAsOneByOne(limit) && limit.capacity() / SHARE_OF_PLENTY > 1;
        this.largestOfFew = Math.max(1, limit.capacity() / SHARE);
        this.slowNanos = takesLater ? nanosOfOne(limit) / SHARE : 0;
    }

    /** Whether the available permits of a limit never decrease as time passes. */
    private static boolean staysThere(Limit limit) {
        return takesAsOneByOne(limit)
                || limit instanceof LeakyBucket
                || (limit instanceof CountingCalls calls && staysThere(calls.limit()))
                || (limit instanceof AllOf all && all.limits().stream().allMatch(DeferredPermits::staysThere));
    }

    /** Whether, in addition, taking several permits at once is the same to the limit as taking them one by one. */
    private static boolean takesAsOneByOne(Limit limit) {
        return limit instanceof SlidingWindowLog
                || limit instanceof SlidingWindow
                || limit instanceof SlidingWindowCounter
                || limit instanceof FixedWindow
                || limit instanceof TokenBucket
                || (limit instanceof AllOf all && all.limits().stream().allMatch(DeferredPermits::takesAsOneByOne));
    }

    /** Returns for how many nanoseconds one permit counts. */
    private static long nanosOfOne(Limit limit) {
        PermitPolicy policy = limit.newPolicy(0);
        long full = policy.nanosUntilFull(0);
        policy.tryTake(1, full);
        return policy.nanosUntilFull(full);
    }

    /** Uses a permit; returns false if none is available. */
    boolean use() {
        if (left > 0) {
            left--;
            return true;
        }
        take();
        boolean paysLater = takesLater && paidFirst == 0;
        return paysLater ? look() : takeOne();
    }

    /** Takes the permits of the elements that have gone. Called before the drain is left. */
    void takeUsed() {
        take();
        size = 1;
    }

    private void take() {
        int used = seen - left;
        boolean isOne = seen == 1;
        seen = 0;
        left = 0;
        if (isOne) {
            judge(time.nanoTime() - usedAt);
        }
        // Refused only if this thread's clock is behind that of the thread that looked.
        if (used > 0 && !limiter.tryConsume(used)) {
            limiter.charge(used);
        }
    }

    private void judge(long nanos) {
        slow = nanos > slowNanos ? slow + 1 : 0;
        paidFirst = slow < 2 ? 0 : OFTEN << Math.min(slow - 2, DOUBLINGS);
    }

    private boolean look() {
        long there = limiter.availablePermits();
        if (there <= 0) {
            size = 1;
            return false;
        }
        int next = (int) Math.min(there, Math.min(size, largest(there)));
        if (next == 1) {
            usedAt = time.nanoTime();
        }
        size = Math.min(2 * next, LARGEST);
        seen = next;
        left = next - 1;
        return true;
    }

    private long largest(long there) {
        return takesTogether ? Math.max(largestOfFew, there / SHARE_OF_PLENTY) : 1;
    }

    private boolean takeOne() {
        boolean taken = limiter.tryConsume(1);
        if (taken && paidFirst > 0) {
            paidFirst--;
        }
        return taken;
    }
}
