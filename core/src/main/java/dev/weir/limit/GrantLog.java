package dev.weir.limit;

import java.util.Arrays;

/**
 * The times of the latest grants as an immutable value: what a frozen {@link GrantRing} held and what the next begins with.
 *
 * <p>Times are offsets from an origin, in nanoseconds, oldest first. A time in the future is debt: a permit that was charged
 * and counts as taken when the limit would have allowed it.
 */
final class GrantLog {

    /** The latest offset that fits a slot of a ring. */
    static final long LATEST = Arguments.MAX_PERIOD_NANOS;

    /** Stands for a grant so long ago that it never counts. */
    static final long NEVER = -LATEST;

    private static final int FIRST_SLOTS = 4;

    private final int permits;
    private final long periodNanos;
    private final long originNanos;
    private final long[] times;
    private final int slots;
    private final boolean forgot;

    /**
     * Makes a log.
     *
     * @param permits the limit
     * @param periodNanos how long a grant counts
     * @param originNanos the time of offset zero
     * @param times the offsets in ascending order, at most as many as {@code permits}; owned by the log from now on
     * @param slots for how many offsets the next ring has room, at least as many as there are and at least one
     * @param forgot whether grants older than these have been overwritten
     */
    GrantLog(int permits, long periodNanos, long originNanos, long[] times, int slots, boolean forgot) {
        this.permits = permits;
        this.periodNanos = periodNanos;
        this.originNanos = originNanos;
        this.times = times;
        this.slots = slots;
        this.forgot = forgot;
    }

    static GrantLog unused(int permits, long periodNanos, long nowNanos) {
        return new GrantLog(permits, periodNanos, nowNanos, new long[0], Math.min(permits, FIRST_SLOTS), false);
    }

    int permits() {
        return permits;
    }

    long periodNanos() {
        return periodNanos;
    }

    long originNanos() {
        return originNanos;
    }

    int size() {
        return times.length;
    }

    long time(int index) {
        return times[index];
    }

    int slots() {
        return slots;
    }

    boolean forgot() {
        return forgot;
    }

    /** As it is, but with slots for more permits than now count, and with the origin at the present. */
    GrantLog withRoomFor(int more, long nowNanos) {
        GrantLog now = since(nowNanos);
        long needed = Math.max(2L * slots, now.counting() + (long) more);
        return now.with(now.times, (int) Math.min(permits, needed));
    }

    /**
     * Without so many permits that were taken at a time. Debt goes first: the latest return to the places a period before,
     * which they had taken anew. Then the earliest of the grants recorded at that time or after. A grant may have been
     * recorded later than it was taken, if a thread with a later clock came in between; forgetting the earlier of the two is
     * then the side that never admits too much. What was taken
     * a period ago has come back by itself: it is not for another grant, or later debt, to be forgotten in its place.
     */
    GrantLog without(int returned, long takenAtNanos, long nowNanos) {
        if (nowNanos - takenAtNanos >= periodNanos) {
            return this;
        }
        GrantLog now = since(nowNanos);
        int left = returned;
        while (left > 0 && now.isInDebt()) {
            int owed = now.times.length - firstAtOrAfter(now.times, now.times.length, 1);
            int repaid = Math.min(left, owed);
            now = now.withEarlier(repaid);
            left -= repaid;
        }
        long[] recorded = now.times;
        int from = firstAtOrAfter(recorded, recorded.length, Math.min(0, takenAtNanos - now.originNanos));
        int removed = Math.min(left, recorded.length - from);
        long[] times = new long[recorded.length - removed];
        System.arraycopy(recorded, 0, times, 0, from);
        System.arraycopy(recorded, from + removed, times, from, recorded.length - from - removed);
        return now.with(times, slots);
    }

    /** With the latest of them a period earlier. */
    private GrantLog withEarlier(int latest) {
        long[] earlier = times.clone();
        for (int i = times.length - latest; i < times.length; i++) {
            earlier[i] = Math.max(NEVER, earlier[i] - periodNanos);
        }
        Arrays.sort(earlier);
        return with(withoutNever(earlier), slots);
    }

    /**
     * With so many permits taken whether they were there or not. Each takes the next place that the limit allows, in the
     * future if need be: so debt is repaid at the rate of the limit.
     */
    GrantLog charged(int more, long nowNanos) {
        GrantLog now = since(nowNanos);
        if (more <= permits - now.times.length && !now.isInDebt()) {
            return now.with(Arrays.copyOf(now.times, now.times.length + more), slots);
        }
        long[] places = now.allPlaces();
        // Once all places have been taken anew, every further round over them is the same a period later.
        long rounds = Math.max(0, ((long) more - 1) / permits - 1);
        int charges = (int) (more - rounds * permits);
        for (int charge = 0; charge < charges; charge++) {
            int oldest = charge % permits;
            long newest = places[(oldest + permits - 1) % permits];
            places[oldest] = Math.min(LATEST, Math.max(Math.max(0, newest), places[oldest] + periodNanos));
        }
        long later = rounds > LATEST / periodNanos ? LATEST : rounds * periodNanos;
        for (int place = 0; place < permits && later > 0; place++) {
            places[place] = Math.min(LATEST, places[place] + later);
        }
        Arrays.sort(places);
        return now.with(withoutNever(places), Math.min(permits, Math.max(slots, now.times.length + charges)));
    }

    /**
     * Under another limit. Grants older than those remembered may count again where the period grows: each is taken to have
     * happened as late as the old limit allowed, a period before the grant that took its place.
     */
    GrantLog reconfigured(int newPermits, long newPeriodNanos, long nowNanos) {
        GrantLog now = since(nowNanos);
        long[] known = now.times;
        int recalled = forgot && newPeriodNanos > periodNanos && known.length > 0 ? newPermits - known.length : 0;
        long[] times = new long[Math.min(newPermits, known.length + Math.max(0, recalled))];
        for (int age = 1; age <= times.length; age++) {
            times[times.length - age] = age <= known.length
                    ? known[known.length - age]
                    : Math.max(NEVER, times[times.length - age + known.length] - periodNanos);
        }
        int newSlots = Math.min(newPermits, Math.max(slots, times.length));
        return new GrantLog(newPermits, newPeriodNanos, now.originNanos, withoutNever(times), newSlots, forgot);
    }

    /** The same grants, counted from another origin. */
    private GrantLog since(long nowNanos) {
        long passed = Math.max(0, nowNanos - originNanos);
        long[] moved = new long[times.length];
        for (int i = 0; i < moved.length; i++) {
            moved[i] = Math.max(NEVER, times[i] - passed);
        }
        return new GrantLog(permits, periodNanos, originNanos + passed, withoutNever(moved), slots, forgot);
    }

    private GrantLog with(long[] newTimes, int newSlots) {
        return new GrantLog(permits, periodNanos, originNanos, newTimes, Math.max(newSlots, newTimes.length), forgot);
    }

    private boolean isInDebt() {
        return times.length > 0 && times[times.length - 1] > 0;
    }

    private int counting() {
        return times.length - firstAtOrAfter(times, times.length, 1 - periodNanos);
    }

    private long[] allPlaces() {
        long[] places = new long[permits];
        int unused = permits - times.length;
        Arrays.fill(places, 0, unused, NEVER);
        System.arraycopy(times, 0, places, unused, times.length);
        return places;
    }

    private static long[] withoutNever(long[] sorted) {
        int used = firstAtOrAfter(sorted, sorted.length, NEVER + 1);
        return used == 0 ? sorted : Arrays.copyOfRange(sorted, used, sorted.length);
    }

    private static int firstAtOrAfter(long[] sorted, int length, long time) {
        int low = 0;
        int high = length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] < time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
