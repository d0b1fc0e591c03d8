package dev.weir.limit;

import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * An immutable log of past segments: numbers of permits and the times at which they count as taken, in order of time.
 *
 * <p>Times in the future are debt: permits that were moved there, by one window each time they were charged again. So there are
 * never more permits than the limit has.
 */
final class SegmentLog {

    static final SegmentLog EMPTY = new SegmentLog(new long[0], new long[0]);

    /** How far debt may reach into the future. */
    private static final long MOST_AHEAD = Arguments.MAX_PERIOD_NANOS;

    private final long[] times;
    private final long[] counts;
    /** The total number of permits. */
    final long sum;

    private SegmentLog(long[] times, long[] counts) {
        this.times = times;
        this.counts = counts;
        this.sum = Arrays.stream(counts).sum();
    }

    /** Returns the latest of the times and the given one. */
    long latest(long otherNanos) {
        long latest = times.length == 0 ? otherNanos : times[times.length - 1];
        return latest - otherNanos > 0 ? latest : otherNanos;
    }

    /** Returns how many permits still count. */
    long used(long nowNanos, long windowNanos) {
        long used = sum;
        for (int i = 0; i < times.length && nowNanos - times[i] >= windowNanos; i++) {
            used -= counts[i];
        }
        return used;
    }

    boolean isInDebt(long nowNanos) {
        return times.length > 0 && times[times.length - 1] - nowNanos > 0;
    }

    /** Returns how many permits are yet to be repaid, each counted as often as it was charged. */
    long debt(long nowNanos, long windowNanos) {
        long debt = 0;
        for (int i = times.length - 1; i >= 0 && times[i] - nowNanos > 0; i--) {
            debt += counts[i] * ((times[i] - nowNanos - 1) / windowNanos + 1);
        }
        return debt;
    }

    /**
     * Returns the time at which the last of the {@code wanted} oldest permits that still count was taken; {@code moreNanos} if
     * the log has fewer. There must be as many, including those at {@code moreNanos}.
     */
    long timeOf(long wanted, long moreNanos, long nowNanos, long windowNanos) {
        long passed = 0;
        for (int i = 0; i < times.length; i++) {
            passed += nowNanos - times[i] >= windowNanos ? 0 : counts[i];
            if (passed >= wanted) {
                return times[i];
            }
        }
        return moreNanos;
    }

    /** Returns the log without the permits that no longer count. */
    SegmentLog since(long nowNanos, long windowNanos) {
        int from = 0;
        while (from < times.length && nowNanos - times[from] >= windowNanos) {
            from++;
        }
        return from == 0 ? this : without(0, from);
    }

    /** Returns the latest time of this log that is not in {@code part}, a later part of it. */
    long latestBefore(SegmentLog part) {
        return times[times.length - part.times.length - 1];
    }

    /** Returns the log with {@code count} more permits at a time. */
    SegmentLog with(long count, long timeNanos) {
        if (count == 0) {
            return this;
        }
        int at = times.length;
        while (at > 0 && times[at - 1] - timeNanos > 0) {
            at--;
        }
        if (at > 0 && times[at - 1] == timeNanos) {
            return withCount(at - 1, counts[at - 1] + count);
        }
        long[] newTimes = new long[times.length + 1];
        long[] newCounts = new long[times.length + 1];
        System.arraycopy(times, 0, newTimes, 0, at);
        System.arraycopy(counts, 0, newCounts, 0, at);
        newTimes[at] = timeNanos;
        newCounts[at] = count;
        System.arraycopy(times, at, newTimes, at + 1, times.length - at);
        System.arraycopy(counts, at, newCounts, at + 1, times.length - at);
        return new SegmentLog(newTimes, newCounts);
    }

    /** Returns the log with permits charged, whether available or not: each takes the next place, a window after the oldest. */
    SegmentLog charged(long charged, int permits, long nowNanos, long windowNanos) {
        return inPlaces(permits, nowNanos, windowNanos, log -> log.placing(charged, permits, nowNanos, windowNanos));
    }

    /** Changes the permits that have a place: not those that no longer count or, if the limit was reduced, the oldest beyond it. */
    private SegmentLog inPlaces(int permits, long nowNanos, long windowNanos, UnaryOperator<SegmentLog> change) {
        SegmentLog placed = since(nowNanos, windowNanos).newest(permits);
        SegmentLog changed = change.apply(placed);
        return placed.sum == sum ? changed : oldest(sum - placed.sum).withAll(changed);
    }

    private SegmentLog placing(long charged, int permits, long nowNanos, long windowNanos) {
        SegmentLog log = this;
        long free = Math.min(charged, permits - log.sum);
        log = log.with(free, nowNanos);
        long rounds = (charged - free) / permits;
        log = log.later(rounds > MOST_AHEAD / windowNanos ? MOST_AHEAD : rounds * windowNanos, nowNanos);
        long left = (charged - free) % permits;
        while (left > 0) {
            long moved = Math.min(left, log.counts[0]);
            long to = Math.min(MOST_AHEAD, log.times[0] - nowNanos + windowNanos) + nowNanos;
            log = log.less(0, moved).with(moved, to);
            left -= moved;
        }
        return log;
    }

    /**
     * Returns the log without {@code returned} permits that were taken at a time, unless they no longer count: those that were
     * recorded at that time or next after it. Debt is removed first and charged again afterwards: a charge that would now find
     * free permits was made at the present at the latest, not when the returned permits were taken. Permits that are not in the
     * log were themselves charged.
     */
    SegmentLog without(long returned, int permits, long takenAtNanos, long nowNanos, long windowNanos) {
        if (nowNanos - takenAtNanos >= windowNanos) {
            return this;
        }
        long debt = debt(nowNanos, windowNanos);
        SegmentLog taken = repaid(debt, permits, nowNanos, windowNanos);
        SegmentLog less = taken.withoutFrom(takenAtNanos, returned);
        long owed = debt - (returned - (taken.sum - less.sum));
        return owed <= 0 ? less : less.charged(owed, permits, nowNanos, windowNanos);
    }

    /** Returns the log with the {@code charges} latest charges undone. There must be as many. */
    SegmentLog repaid(long charges, int permits, long nowNanos, long windowNanos) {
        return charges == 0
                ? this
                : inPlaces(permits, nowNanos, windowNanos, all -> all.repaid(charges, nowNanos, windowNanos));
    }

    private SegmentLog repaid(long repaid, long nowNanos, long windowNanos) {
        long rounds = Math.max(0, Math.min(repaid / sum, (times[0] - nowNanos - 1) / windowNanos));
        SegmentLog log = later(-rounds * windowNanos, nowNanos);
        long left = repaid - rounds * sum;
        while (left > 0) {
            int last = log.times.length - 1;
            long moved = Math.min(left, log.counts[last]);
            log = log.less(last, moved).with(moved, log.times[last] - windowNanos);
            left -= moved;
        }
        return log;
    }

    /** Returns the log without the first {@code returned} permits taken at a time or later, or all of them if there are fewer. */
    SegmentLog withoutFrom(long fromNanos, long returned) {
        int from = 0;
        while (from < times.length && times[from] - fromNanos < 0) {
            from++;
        }
        int to = from;
        long left = returned;
        while (to < times.length && left >= counts[to]) {
            left -= counts[to++];
        }
        SegmentLog log = from == to ? this : without(from, to);
        return from == log.times.length || left == 0 ? log : log.less(from, left);
    }

    /** Returns only the latest {@code permits} permits. */
    private SegmentLog newest(long permits) {
        return sum <= permits ? this : withoutFrom(times[0], sum - permits);
    }

    private SegmentLog oldest(long permits) {
        int from = times.length;
        long over = sum - permits;
        while (over > 0 && over >= counts[from - 1]) {
            over -= counts[--from];
        }
        SegmentLog log = from == times.length ? this : without(from, times.length);
        return over <= 0 ? log : log.less(from - 1, over);
    }

    private SegmentLog withAll(SegmentLog others) {
        SegmentLog log = this;
        for (int i = 0; i < others.times.length; i++) {
            log = log.with(others.counts[i], others.times[i]);
        }
        return log;
    }

    private SegmentLog later(long laterNanos, long nowNanos) {
        long[] newTimes = new long[times.length];
        for (int i = 0; i < newTimes.length; i++) {
            newTimes[i] = nowNanos + Math.min(MOST_AHEAD, times[i] - nowNanos + laterNanos);
        }
        return new SegmentLog(newTimes, counts);
    }

    private SegmentLog less(int at, long count) {
        return counts[at] == count ? without(at, at + 1) : withCount(at, counts[at] - count);
    }

    private SegmentLog withCount(int at, long count) {
        long[] newCounts = counts.clone();
        newCounts[at] = count;
        return new SegmentLog(times, newCounts);
    }

    private SegmentLog without(int from, int to) {
        long[] newTimes = new long[times.length - (to - from)];
        long[] newCounts = new long[newTimes.length];
        System.arraycopy(times, 0, newTimes, 0, from);
        System.arraycopy(counts, 0, newCounts, 0, from);
        System.arraycopy(times, to, newTimes, from, times.length - to);
        System.arraycopy(counts, to, newCounts, from, times.length - to);
        return new SegmentLog(newTimes, newCounts);
    }
}
