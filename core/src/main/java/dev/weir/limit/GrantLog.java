package dev.weir.limit;

import java.util.Arrays;

/** The times of the latest grants as an immutable value: what a frozen {@link GrantRing} held and what the next begins with. */
final class GrantLog {

    /*
     * The times are offsets from an origin, in nanoseconds, oldest first. Those of the last grants, as many as the limit has
     * permits, have a place in a ring:
     *
     *   forgotten        came before all that the log contains; what is known of them is in Forgotten
     *   without a place  the limit has become smaller; counts again if it grows, or if later ones are given back
     *   <= 0             granted, or debt that has been repaid; counts until it is a period old
     *   <= owedUntil     debt: charged, and counts as taken when the limit would have allowed it; if that is up to k periods ahead,
     *                    charged k times
     *   > owedUntil      granted, and ahead only of a late clock
     *
     * Giving back and reconfiguring go the same way: move the origin to the present, of this clock or of one ahead that was granted
     * something (since), so that only debt is ahead of it; undo all charges (withoutDebt); change what is left; and charge the debt
     * again (charged).
     */

    /** The latest offset that fits a slot of a ring. */
    static final long LATEST = Arguments.MAX_PERIOD_NANOS;

    /** The offset of a grant so long ago that it never counts. */
    static final long NEVER = -LATEST;

    private static final int FIRST_SLOTS = 4;

    private final int permits;
    private final long periodNanos;
    private final long originNanos;
    private final long[] times;
    private final int slots;
    private final Forgotten forgotten;
    private final long owedUntil;

    /**
     * Creates a log.
     *
     * @param permits the limit
     * @param periodNanos how long a grant counts
     * @param originNanos the time of offset zero
     * @param times the offsets in ascending order; owned by the log from now on
     * @param slots the number of slots of the next ring, at least one, and one for each offset that has a place
     * @param forgotten what is known of grants that have been overwritten
     * @param owedUntil the offset of the last time that is debt, or one that has passed
     */
    GrantLog(
            int permits,
            long periodNanos,
            long originNanos,
            long[] times,
            int slots,
            Forgotten forgotten,
            long owedUntil) {
        this.permits = permits;
        this.periodNanos = periodNanos;
        this.originNanos = originNanos;
        this.times = times;
        this.slots = slots;
        this.forgotten = forgotten;
        this.owedUntil = owedUntil;
    }

    static GrantLog unused(int permits, long periodNanos, long nowNanos) {
        int slots = Math.min(permits, FIRST_SLOTS);
        return new GrantLog(permits, periodNanos, nowNanos, new long[0], slots, Forgotten.NOTHING, NEVER);
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

    /** Returns how many offsets have a place. */
    int size() {
        return Math.min(permits, times.length);
    }

    long time(int index) {
        return times[times.length - size() + index];
    }

    /** Returns the offsets that have no place. */
    long[] older() {
        return Arrays.copyOf(times, times.length - size());
    }

    int slots() {
        return slots;
    }

    Forgotten forgotten() {
        return forgotten;
    }

    long owedUntil() {
        return owedUntil;
    }

    /** Returns the log with slots for more permits than now count, and with the origin at the present. */
    GrantLog withRoomFor(int more, long nowNanos) {
        GrantLog now = since(nowNanos);
        long needed = Math.max(2L * slots, now.counting() + (long) more);
        return now.with(now.times, (int) Math.min(permits, needed));
    }

    /**
     * Returns the log without {@code returned} permits that were taken at a time: the earliest of the grants recorded at that
     * time or after. A grant may have been recorded later than it was taken, if a thread with a later clock came in between;
     * removing the earlier of the two is then the side that never admits too much. What was taken a period ago, by any clock, has
     * returned by itself: no other grant may be removed in its place. The same holds for what had returned under a shorter
     * period, although it may count again, as the latest it can have been.
     *
     * <p>Debt is removed first and charged again afterwards: a charge that would now find free permits was made at the present at
     * the latest, not when the returned permits were taken. Permits that are not among the grants were themselves charged.
     */
    GrantLog without(int returned, long takenAtNanos, long nowNanos) {
        boolean isOver = originNanos + passed(nowNanos) - takenAtNanos >= periodNanos;
        if (isOver || takenAtNanos - originNanos <= forgotten.returned()) {
            return this;
        }
        GrantLog now = since(nowNanos);
        long debt = now.debt();
        GrantLog taken = now.withoutDebt(debt);
        GrantLog less = taken.withoutFrom(Math.min(0, takenAtNanos - now.originNanos), returned);
        long owed = debt - (returned - (taken.times.length - less.times.length));
        return owed <= 0 ? less : less.charged(owed, nowNanos);
    }

    private GrantLog withoutFrom(long taken, int returned) {
        int from = Offsets.firstAtOrAfter(times, taken);
        int removed = Math.min(returned, times.length - from);
        long[] kept = new long[times.length - removed];
        System.arraycopy(times, 0, kept, 0, from);
        System.arraycopy(times, from + removed, kept, from, kept.length - from);
        return with(kept, slots);
    }

    /** Returns the offset of the present: the latest that any clock is known to have shown, this one or that of a grant. */
    private long passed(long nowNanos) {
        int last = times.length - 1;
        long shown = last >= 0 && times[last] > owedUntil ? Math.max(0, times[last]) : 0;
        return Math.max(shown, nowNanos - originNanos);
    }

    /** Returns how many charges are not yet repaid: a place that lies k periods ahead has been charged k times over. */
    private long debt() {
        long debt = 0;
        for (int i = times.length - 1; i >= 0 && times[i] > 0; i--) {
            debt += (times[i] - 1) / periodNanos + 1;
        }
        return debt;
    }

    /** Returns the times with the latest charges undone: each moves a place back by a period. There must be as many. */
    private long[] repaid(long charges) {
        long[] places = times.clone();
        int from = Offsets.firstAtOrAfter(places, 1);
        int ahead = places.length - from;
        long rounds = Math.min(charges / ahead, (places[from] - 1) / periodNanos);
        for (int i = from; i < places.length; i++) {
            places[i] -= rounds * periodNanos;
        }
        Arrays.sort(places);
        long left = charges - rounds * ahead;
        while (left > 0) {
            for (int i = places.length - 1; i >= 0 && places[i] > 0 && left > 0; i--) {
                places[i] -= periodNanos;
                left--;
            }
            Arrays.sort(places);
        }
        return places;
    }

    /**
     * Returns the log with {@code more} permits taken whether they are available or not. Each takes the next place that the limit
     * allows, in the future if need be: so debt is repaid at the rate of the limit.
     */
    GrantLog charged(long more, long nowNanos) {
        GrantLog now = since(nowNanos);
        if (more <= permits - now.times.length) {
            long[] joined = Arrays.copyOf(now.times, now.times.length + (int) more);
            return now.with(joined, slots); // at offset zero
        }
        long[] places = now.allPlaces();
        // Once all places have been taken again, every further round over them is the same a period later.
        long rounds = Math.max(0, (more - 1) / permits - 1);
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
        int needed = Math.min(permits, Math.max(slots, now.times.length + charges));
        boolean forgets = charges > permits - now.size();
        GrantLog then = forgets ? now.forgetting(Math.max(permits, now.times.length), periodNanos) : now;
        long[] older = now.counting() > permits ? now.older() : new long[0];
        return then.owing(places[permits - 1]).with(Offsets.joined(older, Offsets.withoutNever(places)), needed);
    }

    /**
     * Returns the log under another limit. Overwritten grants may count again if the period grows: each is assumed to have
     * happened as late as the limits of its time allowed. Debt is removed first and charged again afterwards.
     */
    GrantLog reconfigured(int newPermits, long newPeriodNanos, long nowNanos) {
        if (newPermits == permits && newPeriodNanos == periodNanos) {
            return this;
        }
        GrantLog now = since(nowNanos);
        long debt = now.debt();
        GrantLog known = now.withoutDebt(debt).returned();
        GrantLog changed = known.withoutGaps().under(newPermits, newPeriodNanos);
        return debt == 0 ? changed : changed.charged(debt, nowNanos);
    }

    /** Returns the log with all charges undone: what is ahead of a late clock from now on is no debt. */
    private GrantLog withoutDebt(long debt) {
        return debt == 0
                ? this
                : new GrantLog(
                        permits, periodNanos, originNanos, Offsets.withoutNever(repaid(debt)), slots, forgotten, 0);
    }

    /**
     * Returns the log with no gap between the grants that have no place and those that have, if charges have been repaid: the
     * former are assumed to have been as late as that.
     */
    private GrantLog withoutGaps() {
        int unplaced = times.length - size();
        if (unplaced == 0 || owedUntil == NEVER) {
            return this;
        }
        long[] later = times.clone();
        for (int i = 0; i < unplaced; i++) {
            later[i] = Math.max(times[i], Math.min(times[unplaced], forgotten.returned()));
        }
        return with(later, slots);
    }

    /** Returns the log with all forgotten grants known to have returned. */
    private GrantLog returned() {
        Forgotten before = forgotten.returnedUntil(-periodNanos);
        return new GrantLog(permits, periodNanos, originNanos, times, slots, before, owedUntil);
    }

    private GrantLog under(int newPermits, long newPeriodNanos) {
        long[] all = forgotten.mayCountWithin(newPeriodNanos) ? recalled(newPermits, newPeriodNanos) : times;
        int unplaced = Math.max(0, all.length - newPermits);
        int from = Math.min(unplaced, Offsets.firstAtOrAfter(all, 1 - newPeriodNanos));
        long[] known = Offsets.withoutNever(Arrays.copyOfRange(all, from, all.length));
        int newSlots = Math.min(newPermits, Math.max(slots, known.length));
        Forgotten then = from == 0
                ? forgotten
                : forgotten.and(all.length, newPeriodNanos).returnedUntil(all[from - 1]);
        return new GrantLog(newPermits, newPeriodNanos, originNanos, known, newSlots, then, owedUntil);
    }

    /**
     * Returns the grants, preceded by the forgotten ones at their latest possible times: each a period before the one that took
     * its place, which may have been given back since, as may be all that have not returned. Stops when as many that cannot be
     * given back are known as the limit has permits, or when earlier ones no longer count.
     */
    private long[] recalled(int newPermits, long newPeriodNanos) {
        int most = Math.max(0, newPermits - Offsets.firstAtOrAfter(times, forgotten.returned() + 1));
        long[] latestFirst = new long[Math.min(most, 16)];
        long upTo = times.length == 0 ? forgotten.returned() : Math.min(times[0], forgotten.returned());
        int more = 0;
        for (; more < most; more++) {
            int taker = forgotten.places() - 1 - more; // among the grants, or if negative, among those before them
            if (taker < times.length) {
                upTo = Math.min(upTo, (taker < 0 ? latestFirst[-1 - taker] : times[taker]) - forgotten.nanos());
            }
            if (upTo <= -newPeriodNanos) {
                break;
            }
            if (more == latestFirst.length) {
                latestFirst = Arrays.copyOf(latestFirst, (int) Math.min(most, 2L * more));
            }
            latestFirst[more] = upTo;
        }
        long[] recalled = new long[more + times.length];
        for (int i = 0; i < more; i++) {
            recalled[i] = latestFirst[more - 1 - i];
        }
        System.arraycopy(times, 0, recalled, more, times.length);
        return recalled;
    }

    /** Returns the same grants, counted from the present: what is ahead of that is debt. */
    private GrantLog since(long nowNanos) {
        long passed = passed(nowNanos);
        long back = Math.min(passed, 2 * LATEST); // from the latest offset to NEVER
        long[] moved = new long[times.length];
        for (int i = 0; i < moved.length; i++) {
            moved[i] = Math.max(NEVER, times[i] - back);
        }
        long owed = Math.max(NEVER, owedUntil - back);
        Forgotten before = forgotten.after(back);
        return new GrantLog(
                permits, periodNanos, originNanos + passed, Offsets.withoutNever(moved), slots, before, owed);
    }

    private GrantLog with(long[] newTimes, int newSlots) {
        int atLeast = Math.max(newSlots, Math.min(permits, newTimes.length));
        return new GrantLog(permits, periodNanos, originNanos, newTimes, atLeast, forgotten, owedUntil);
    }

    /** Returns the log after some grants were forgotten, of which no more than {@code places} were made in {@code nanos}. */
    private GrantLog forgetting(int places, long nanos) {
        Forgotten more = forgotten.and(places, nanos);
        return new GrantLog(permits, periodNanos, originNanos, times, slots, more, owedUntil);
    }

    /** Returns the log with debt until an offset, unless that has passed. */
    private GrantLog owing(long until) {
        long owed = until > 0 ? until : owedUntil;
        return new GrantLog(permits, periodNanos, originNanos, times, slots, forgotten, owed);
    }

    private int counting() {
        return times.length - Offsets.firstAtOrAfter(times, 1 - periodNanos);
    }

    private long[] allPlaces() {
        long[] places = new long[permits];
        int unused = permits - size();
        Arrays.fill(places, 0, unused, NEVER);
        System.arraycopy(times, times.length - size(), places, unused, size());
        return places;
    }
}
