package dev.weir.limit;

import org.jspecify.annotations.Nullable;

/**
 * The parameters of a {@link WindowPolicy}, and its calculations.
 *
 * @param capacity the maximum number of permits that may count at once, and the largest request
 * @param perWindow how many of those that count are forgotten when a window ends; at most the capacity
 * @param nanos the length of a window
 * @param begin when windows begin
 * @param weighed whether the permits forgotten last still count, in proportion to what remains of the window
 * @param past the parameters before a change; null if there was none
 */
record WindowRules(
        int capacity,
        int perWindow,
        long nanos,
        Begin begin,
        boolean weighed,
        @Nullable Past past) {

    /**
     * The parameters before a change.
     *
     * @param forNanos how long they were in force
     * @param untilNanos until when they were in force
     * @param presentNanos the time from which takes counted in the window of the change
     * @param previousNanos the time from which takes, up to {@code presentNanos}, counted in the window before
     */
    record Past(WindowRules rules, long forNanos, long untilNanos, long presentNanos, long previousNanos) {}

    /** When windows begin. */
    enum Begin {
        AT_FIRST_USE,
        AT_CREATION,
        AT_MULTIPLES
    }

    private static final Derived<FixedWindow, WindowRules> OF_FIXED_WINDOWS = new Derived<>(WindowRules::derivedFrom);
    private static final Derived<SlidingWindowCounter, WindowRules> OF_COUNTERS =
            new Derived<>(WindowRules::derivedFrom);
    private static final Derived<TokenBucket, WindowRules> OF_BUCKETS = new Derived<>(WindowRules::derivedFrom);

    static WindowRules of(FixedWindow limit) {
        return OF_FIXED_WINDOWS.from(limit);
    }

    static WindowRules of(SlidingWindowCounter limit) {
        return OF_COUNTERS.from(limit);
    }

    static WindowRules of(TokenBucket limit) {
        return OF_BUCKETS.from(limit);
    }

    private static WindowRules derivedFrom(FixedWindow limit) {
        Begin begin = limit.onMultiples() ? Begin.AT_MULTIPLES : Begin.AT_FIRST_USE;
        return new WindowRules(limit.permits(), limit.permits(), limit.window().toNanos(), begin, false, null);
    }

    private static WindowRules derivedFrom(SlidingWindowCounter limit) {
        return new WindowRules(
                limit.permits(), limit.permits(), limit.window().toNanos(), Begin.AT_CREATION, true, null);
    }

    private static WindowRules derivedFrom(TokenBucket limit) {
        int perWindow = Math.min(limit.refillTokens(), limit.capacity());
        return new WindowRules(
                limit.capacity(), perWindow, limit.refillPeriod().toNanos(), Begin.AT_CREATION, false, null);
    }

    /** Returns whether both are the parameters of limits of one class, judging by what differs between classes. */
    boolean isSameKind(WindowRules other) {
        return weighed == other.weighed && (begin == Begin.AT_CREATION) == (other.begin == Begin.AT_CREATION);
    }

    /** Returns whether windows may begin where those of others do. Once the clock has wrapped, multiples would be found elsewhere. */
    boolean mayBeginWhere(WindowRules others) {
        return begin != Begin.AT_MULTIPLES || (begin == others.begin && nanos == others.nanos);
    }

    /** Returns when the window of a time begins, as far as that is known before anything is taken. */
    long beginning(long nowNanos) {
        return begin == Begin.AT_MULTIPLES ? nowNanos - Math.floorMod(nowNanos, nanos) : nowNanos;
    }

    /** Returns these parameters as the successors of others from a time on, in a window that began at another time. */
    WindowRules after(WindowRules before, long beginNanos, long nowNanos) {
        WindowRules alone = before.with(null);
        if (alone.equals(with(null))) {
            return before;
        }
        long inForce = before.past == null ? Long.MAX_VALUE : nowNanos - before.past.untilNanos;
        long present = before.countedSince(beginNanos);
        long previous = before.countedSince(beginNanos - before.nanos);
        return with(new Past(alone, inForce, nowNanos, present, previous));
    }

    private WindowRules with(@Nullable Past past) {
        return new WindowRules(capacity, perWindow, nanos, begin, weighed, past);
    }

    /**
     * Returns the time as of which a take counts. The windows before a change do not line up with those after it: what counted in
     * the last of them counts as of the change, what counted in the one before as of one window earlier, and what was forgotten
     * by then as of two.
     */
    long countedAt(long takenAtNanos) {
        if (past == null || takenAtNanos - past.untilNanos >= 0) {
            return takenAtNanos;
        } else if (takenAtNanos - past.presentNanos >= 0) {
            return past.untilNanos;
        } else if (!forgetsAll()) {
            return takenAtNanos; // steps take all of the past into account
        }
        return past.untilNanos - (takenAtNanos - past.previousNanos >= 0 ? nanos : 2 * nanos);
    }

    /** The inverse: returns the time of the earliest take that counts as of a time or later. */
    private long countedSince(long countedNanos) {
        if (past == null || countedNanos - past.untilNanos > 0) {
            return countedNanos;
        }
        return countedNanos - (past.untilNanos - nanos) > 0 ? past.presentNanos : past.previousNanos;
    }

    /** Whether all that a window admits is forgotten when it ends. */
    boolean forgetsAll() {
        return perWindow == capacity;
    }

    /** Returns what is left of a count after a number of windows. */
    long leftAfterWindows(long used, long windows) {
        if (windows <= 1) {
            return Math.max(0, used - windows * perWindow); // nearly always, and without a division
        }
        return windows > used / perWindow ? 0 : used - windows * perWindow;
    }

    /**
     * Returns how many of the permits taken at an earlier time still count, given the ends of windows since, by the parameters in
     * force then. If there have been two changes since, none: too little is given back rather than too much.
     */
    long leftOfTake(int permits, long takenAtNanos, long beginNanos) {
        if (forgetsAll()) {
            return 0;
        } else if (past == null || takenAtNanos - past.untilNanos >= 0) {
            return leftAfterNanos(permits, beginNanos - takenAtNanos);
        } else if (past.untilNanos - takenAtNanos > past.forNanos) {
            return 0;
        }
        long before = past.rules.leftAfterNanos(permits, past.untilNanos - takenAtNanos);
        return leftAfterNanos(before, beginNanos - past.untilNanos);
    }

    /** Returns what is left after as many windows as can end within {@code elapsed} nanoseconds. */
    private long leftAfterNanos(long used, long elapsed) {
        return leftAfterWindows(used, elapsed <= 0 ? 0 : (elapsed - 1) / nanos + 1);
    }

    /** Returns what counted in the window before the one {@code windows}, at least 1, windows later, as far as that matters. */
    long before(long used, long windows) {
        return weighed ? Math.min(capacity, leftAfterWindows(used, windows - 1)) : 0;
    }

    /** Returns how many permits of the previous window still count: its share of what remains, rounded down. */
    long weight(long previous, long elapsed) {
        long remaining = nanos - Math.max(0, elapsed);
        if (Math.multiplyHigh(previous, remaining) == 0 && previous * remaining >= 0) {
            return previous * remaining / nanos;
        }
        long low = 0;
        long high = previous;
        while (low < high) {
            long middle = (low + high + 1) >>> 1;
            if (isBelow(previous, remaining, middle, nanos)) {
                high = middle - 1;
            } else {
                low = middle;
            }
        }
        return low;
    }

    /** Returns whether a request passes at a time within the window. */
    boolean fits(int permits, long used, long previous, long elapsed) {
        long free = capacity - permits - used;
        return free >= 0 && (previous == 0 || isBelow(previous, nanos - Math.max(0, elapsed), free + 1, nanos));
    }

    /**
     * Returns the nanoseconds until a request passes, from a time within the window at which it does not: until the first window
     * in which the count leaves room for it, and within that until the weight of the previous window does. A request larger than
     * the capacity, possible if the limit has just become smaller, never passes.
     */
    long nanosUntil(int permits, long used, long previous, long elapsed) {
        long over = permits + used - capacity;
        // Nearly always one of these two cases, kept small: three comparisons by one sign.
        if (!weighed && over > 0 && (perWindow - over | capacity - permits | elapsed) >= 0) {
            return nanos - elapsed;
        }
        if (weighed && over > 0 && (capacity - used | capacity - permits | elapsed) >= 0) {
            return nanos - elapsed + nanos - longestBelow(capacity - permits + 1, used);
        }
        if (permits > capacity) {
            return PermitPolicy.AWAIT_SIGNAL;
        }
        long later = over <= 0 ? 0 : over <= perWindow ? 1 : (over - 1) / perWindow + 1;
        long before = later == 0 ? previous : before(used, later);
        return nanosUntilFree(later, before, capacity - permits - leftAfterWindows(used, later), elapsed);
    }

    /** The same for single permits, each taken as soon as it is available. */
    long nanosUntilLastOf(long permits, long used, long previous, long elapsed) {
        long all = permits > Long.MAX_VALUE - used ? Long.MAX_VALUE : permits + used;
        long later = all <= capacity ? 0 : (all - capacity - 1) / perWindow + 1;
        long before = !weighed ? 0 : later == 0 ? previous : capacity;
        return nanosUntilFree(later, before, capacity - (all - later * perWindow), elapsed);
    }

    /** Returns the nanoseconds until, {@code later} windows later, the previous window weighs no more than what is free. */
    private long nanosUntilFree(long later, long before, long free, long elapsed) {
        if (later > 1 && later > Arguments.MAX_PERIOD_NANOS / nanos) {
            return PermitPolicy.AWAIT_SIGNAL - 1;
        }
        long ran = Math.max(elapsed, -Arguments.MAX_PERIOD_NANOS);
        return later * nanos + nanos - longestRemaining(before, free) - ran;
    }

    /** Returns how much of a window may remain at most so that {@code before} permits weigh no more than {@code free}. */
    private long longestRemaining(long before, long free) {
        return before <= free ? nanos : longestBelow(free + 1, before);
    }

    /**
     * Returns how much of a window may remain at most so that {@code before} permits weigh less than {@code weight}, 1 to all of
     * them.
     */
    private long longestBelow(long weight, long before) {
        if (weight == before) {
            return nanos - 1; // usual if the window is full: no division
        }
        // before * remaining < weight * nanos, divided without overflow.
        long product = weight * nanos;
        if (Math.multiplyHigh(weight, nanos) == 0 && product > 0) {
            return (product - 1) / before;
        }
        return nanos / before * weight + (nanos % before * weight + before - 1) / before - 1;
    }

    /** Returns whether a * b is less than c * d; none of them is negative. */
    static boolean isBelow(long a, long b, long c, long d) {
        long left = Math.multiplyHigh(a, b);
        long right = Math.multiplyHigh(c, d);
        return left == right ? Long.compareUnsigned(a * b, c * d) < 0 : left < right;
    }
}
