package dev.weir.gate;

import dev.weir.RateLimiter;
import dev.weir.limit.AllOf;
import dev.weir.limit.FixedWindow;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindow;
import dev.weir.limit.SlidingWindowCounter;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.limit.TokenBucket;

/**
 * Takes the permits of a limiter that belongs to one stream alone, a handful at a time where the limit has many. Drain only.
 */
final class Hand {

    /*
     * Idea. For an element that passes in nanoseconds, reading the clock is nearly all that a permit costs. So once some have
     * been taken one by one without a wait, the next few are looked at together: if they are there, as many elements may go.
     * What has gone is then taken, all at once, before the drain is left or more is looked at.
     *
     *      one by one:   clock take go                    clock take go                    clock take go
     *      by hand:      clock look go go go clock take   clock look go go go clock take
     *
     * Why no interval sees too much. Nobody else takes from the limiter, and none of the limits below takes back, as time goes
     * on, what it had to give; so what was there when it was looked at is there until it is taken. An element goes after the
     * look that allowed it and before the take that records it. Whatever the limit allows, it thus allows at a time no later
     * than the element goes; and whatever counts against later ones counts from a time no earlier.
     *
     * What it costs. A permit counts from a moment late by what the elements of one hand take to pass. Where permits are
     * plenty, that costs nothing but, when they become scarce, one hand that comes back late: it is a small part of what is there.
     * Where they are scarce, and what is late comes back late, it is a very small part of the limit: should elements be slow,
     * less than one part in SHARE is lost, and nothing where they pass quickly.
     */

    /** How many permits are looked at together however few are there, as a part of what the limit has. */
    private static final int SHARE = 128;

    /** How many are looked at together where there are more, as a part of what is there. */
    private static final int SHARE_OF_PLENTY = 16;

    private static final int LARGEST = 256;

    /** How many are taken one by one before a look that was in vain is tried again: it costs as much as taking. */
    private static final int ONE_BY_ONE = 16;

    private final RateLimiter limiter;
    private final boolean takesTogether;
    private final int largestOfFew;

    /** How many permits to look at next, at most. */
    private int size = 2;

    /** How many to take one by one before the next look. */
    private int oneByOne = 1;

    /** How many of those that were looked at may still be used. */
    private int left;

    /** How many have been used and not been taken. */
    private int used;

    Hand(RateLimiter limiter) {
        Limit limit = limiter.limit();
        this.limiter = limiter;
        this.takesTogether = takesAsOneByOne(limit) && limit.capacity() / SHARE_OF_PLENTY > 1;
        this.largestOfFew = limit.capacity() / SHARE;
    }

    /** Whether so many permits at once are the same to a limit as one by one, and it never has less to give as time goes on. */
    private static boolean takesAsOneByOne(Limit limit) {
        return limit instanceof SlidingWindowLog
                || limit instanceof SlidingWindow
                || limit instanceof SlidingWindowCounter
                || limit instanceof FixedWindow
                || limit instanceof TokenBucket
                || (limit instanceof AllOf all && all.limits().stream().allMatch(Hand::takesAsOneByOne));
    }

    /** Uses a permit; false if there is none. */
    boolean use() {
        if (left > 0) {
            left--;
            used++;
            return true;
        }
        take();
        return look() || takeOne();
    }

    /** Before the drain is left: takes what was used, and lets go of the rest. */
    void putDown() {
        take();
        left = 0;
        beginAnew(1);
    }

    private void take() {
        int gone = used;
        used = 0;
        // Refused only to a thread whose clock is behind that of the one that looked.
        if (gone > 0 && !limiter.tryConsume(gone)) {
            limiter.charge(gone);
        }
    }

    private boolean look() {
        if (oneByOne > 0 || !takesTogether) {
            return false;
        }
        long there = limiter.availablePermits();
        long next = Math.min(there, Math.min(size, Math.max(largestOfFew, there / SHARE_OF_PLENTY)));
        if (next <= 1) {
            beginAnew(ONE_BY_ONE);
            return false;
        }
        left = (int) next - 1;
        used = 1;
        size = Math.min(2 * size, LARGEST);
        return true;
    }

    private boolean takeOne() {
        boolean taken = limiter.tryConsume(1);
        if (taken) {
            oneByOne--;
        } else {
            beginAnew(1);
        }
        return taken;
    }

    private void beginAnew(int oneByOne) {
        this.oneByOne = oneByOne;
        size = 2;
    }
}
