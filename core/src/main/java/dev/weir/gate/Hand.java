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
 * Takes the permits of a limiter that belongs to one stream alone: after their elements have gone, and a handful at a time where
 * the limit has many. Drain only.
 */
final class Hand {

    /*
     * Idea. Between taking a permit and the arrival of its element downstream a thread may be held up, for as long as it likes:
     * by the first use of a class, by the collector, by other threads. That element is late, the ones behind it are not, and so
     * downstream sees them closer together than the limit allows. So permits are looked at, as many elements go as are there,
     * and what has gone is then taken. And as for an element that passes in nanoseconds reading the clock is nearly all that a
     * permit costs, several are looked at together where permits are plenty.
     *
     *      paid first:   clock take go        clock take go        clock take go
     *      one by one:   clock look go clock take        clock look go clock take
     *      by hand:      clock look go go go clock take        clock look go go go clock take
     *
     * Why no interval sees too much. Nobody else takes from the limiter, and none of the limits below takes back, as time goes
     * on, what it had to give; so what was there when it was looked at is there until it is taken. An element goes after the
     * look that allowed it and before the take that records it. Whatever the limit allows, it thus allows at a time no later
     * than the element goes; and whatever counts against later ones counts from a time no earlier. That holds however long the
     * thread is held up, and wherever.
     *
     * What it costs. A permit counts from a moment late by what the elements of one hand take to pass. Where permits are
     * plenty, that costs nothing but, when they become scarce, one hand that comes back late: it is a small part of what is there.
     * Where they are scarce, and what is late comes back late, it is a very small part of the limit: should elements be slow,
     * less than one part in SHARE is lost, and nothing where they pass quickly. A hand of one may be a large part of a limit of
     * few permits. So the time that its element takes is measured; where that is more than one part in SHARE of the time for
     * which a permit counts, twice in a row, elements are paid first, and one now and then, ever more seldom, the other way
     * to see whether they are still slow.
     */

    /** The part of a limit that may be lost: so many permits are looked at together however few are there. */
    private static final int SHARE = 128;

    /** How many are looked at together where there are more, as a part of what is there. */
    private static final int SHARE_OF_PLENTY = 16;

    private static final int LARGEST = 256;

    /** So many elements are paid first before the next by which it is seen whether they are still slow; at first. */
    private static final int OFTEN = 8;

    /** And how often that doubles, at most. */
    private static final int DOUBLINGS = 7;

    private final RateLimiter limiter;
    private final TimeSource time;

    /** Whether permits may be taken after their elements have gone. */
    private final boolean takesLater;

    private final boolean takesTogether;
    private final int largestOfFew;

    /** An element that takes longer is slow. */
    private final long slowNanos;

    /** How many permits to look at next, at most. */
    private int size = 1;

    /** How many have been looked at and not been taken. */
    private int held;

    /** How many of them may still be used. */
    private int left;

    /** Since when a hand of one is used. */
    private long usedAt;

    /** How many elements in a row have been slow, of those by which it is seen. */
    private int slow;

    /** How many elements to pay first before the next by which it is seen. */
    private int paidFirst;

    Hand(RateLimiter limiter, TimeSource time) {
        Limit limit = limiter.limit();
        this.limiter = limiter;
        this.time = time;
        this.takesLater = staysThere(limit);
        this.takesTogether = takesAsOneByOne(limit) && limit.capacity() / SHARE_OF_PLENTY > 1;
        this.largestOfFew = Math.max(1, limit.capacity() / SHARE);
        this.slowNanos = takesLater ? nanosOfOne(limit) / SHARE : 0;
    }

    /** Whether a limit never has less to give as time goes on. */
    private static boolean staysThere(Limit limit) {
        return takesAsOneByOne(limit)
                || limit instanceof LeakyBucket
                || (limit instanceof CountingCalls calls && staysThere(calls.limit()))
                || (limit instanceof AllOf all && all.limits().stream().allMatch(Hand::staysThere));
    }

    /** Whether, beside that, so many permits at once are the same to it as one by one. */
    private static boolean takesAsOneByOne(Limit limit) {
        return limit instanceof SlidingWindowLog
                || limit instanceof SlidingWindow
                || limit instanceof SlidingWindowCounter
                || limit instanceof FixedWindow
                || limit instanceof TokenBucket
                || (limit instanceof AllOf all && all.limits().stream().allMatch(Hand::takesAsOneByOne));
    }

    /** For how long one permit counts. */
    private static long nanosOfOne(Limit limit) {
        PermitPolicy policy = limit.newPolicy(0);
        long full = policy.nanosUntilFull(0);
        policy.tryTake(1, full);
        return policy.nanosUntilFull(full);
    }

    /** Uses a permit; false if there is none. */
    boolean use() {
        if (left > 0) {
            left--;
            return true;
        }
        take();
        boolean paysLater = takesLater && paidFirst == 0;
        return paysLater ? look() : takeOne();
    }

    /** Before the drain is left: takes what was used, and lets go of the rest. */
    void putDown() {
        take();
        size = 1;
    }

    private void take() {
        int used = held - left;
        boolean isOne = held == 1;
        held = 0;
        left = 0;
        if (isOne) {
            judge(time.nanoTime() - usedAt);
        }
        // Refused only to a thread whose clock is behind that of the one that looked.
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
        held = next;
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
