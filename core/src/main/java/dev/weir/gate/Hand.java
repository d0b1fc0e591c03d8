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
     * What it costs. A permit counts from a moment late by what the elements of one hand take to pass. A hand is small beside
     * the limit, so should they be slow, what is lost is less than one part in SHARE; and nothing where elements pass quickly.
     */

    /** How many permits are looked at together at most, as a part of what the limit has. */
    private static final int SHARE = 128;

    private static final int LARGEST = 64;

    private final RateLimiter limiter;
    private final int largest;

    /** How many permits to look at next; one is taken without a look. */
    private int size = 1;

    /** How many of those that were looked at may still be used. */
    private int left;

    /** How many have been used and not been taken. */
    private int used;

    Hand(RateLimiter limiter) {
        Limit limit = limiter.limit();
        this.limiter = limiter;
        this.largest = takesAsOneByOne(limit) ? Math.min(LARGEST, limit.capacity() / SHARE) : 1;
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

    /** Whether the next permit is there for sure. */
    boolean holdsAny() {
        return left > 0;
    }

    /** Before the drain is left: takes what was used, and lets go of the rest. */
    void putDown() {
        take();
        left = 0;
        size = 1;
    }

    private void take() {
        if (used > 0) {
            // Refused only to a thread whose clock is behind that of the one that looked.
            if (!limiter.tryConsume(used)) {
                limiter.charge(used);
            }
            used = 0;
        }
    }

    private boolean look() {
        if (size <= 1) {
            return false;
        }
        long there = Math.min(size, limiter.availablePermits());
        if (there <= 1) {
            return false;
        }
        left = (int) there - 1;
        used = 1;
        size = Math.min(2 * size, largest);
        return true;
    }

    private boolean takeOne() {
        boolean taken = limiter.tryConsume(1);
        size = taken ? Math.min(2, largest) : 1;
        return taken;
    }
}
