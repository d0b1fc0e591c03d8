package dev.weir.limit;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The generic cell rate algorithm (GCRA): enforces a {@link TokenBucket} or a {@link LeakyBucket} with one number. */
final class GcraPolicy implements Refilled {

    /*
     * Idea. A bucket that loses a token per permit and regains them evenly is full again at one instant, and that instant, the
     * theoretical arrival time (TAT), is its whole state. Taking n permits moves it by n times the cost of one, counted from the
     * present if it has passed. What is missing in the bucket is how far the TAT lies ahead. So the permits are available if the
     * TAT lies ahead by no more than the tolerance, the whole room less the cost of the request; if not, the wait is the
     * difference. Requests that are merely spaced have the same tolerance whatever their size.
     *
     * Exactness. The TAT counts in fractions of a nanosecond that divide the cost of a permit evenly (see Pace), so nothing is
     * ever rounded but the results, and those up.
     *
     * Eras. The clock may have any origin, and a TAT in such fractions would overflow a long. So it is counted from the base of
     * an era. An era that has lasted too long, or whose pace is to change, is frozen; then a new era begins with the state that
     * the TAT describes at the time.
     *
     *      open ---- take, give back, charge (CAS of the TAT) ----> open
     *        |
     *        +------ freeze (see Freezable) ----> frozen ---- CAS of the policy's era ----> replaced
     *        |                                                                                ^
     *        +------ while takes are remembered: any of these (CAS of the policy's era) ------+
     *
     * Races. Any thread that finds a frozen era replaces it, so no thread waits for another; if several do, one wins, and all of
     * them started from the same TAT. A grant is either a successful CAS of an open TAT, so it is in the frozen value, or a CAS
     * of the policy's era, whose TAT no other thread has changed: none is lost. A thread with an earlier time than the base of
     * the era decides as of the base. Refusals and reads write nothing.
     *
     * Late returns. Had a request been for less, the bucket would since have been fuller by the difference, except for what would
     * have overflowed: what was missing in it all the time can be given back. To know that, every take must be remembered, which
     * few need. So remembering begins when a request is first settled for less. From then on a TAT never moves: each take
     * replaces the era by a new one, with what was least missing since when (see LeastMissing). Remembering ends with a take from
     * a full bucket, which equals a new one. Without it, only what has not flowed in since the whole request was taken can be
     * given back.
     *
     * References. ITU-T I.371, annex A; ATM Forum Traffic Management Specification 4.0, 4.4.2 (virtual scheduling).
     */

    private static final VarHandle ERA =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(GcraPolicy.class, "era", Era.class));

    private volatile Era era;

    GcraPolicy(Pace pace, int permitsMissing, long nowNanos) {
        this.era = new PlainEra(pace, nowNanos, pace.costOf(permitsMissing));
    }

    @Override
    public long tryTake(int permits, long nowNanos) {
        if (permits == 0) {
            return nanosUntilOneByOne(1, nowNanos);
        }
        for (; ; ) {
            Era era = this.era;
            Pace pace = era.pace;
            // Before the TAT is read, which is volatile: what follows from the time then stays in registers.
            long elapsed = nowNanos - era.baseNanos;
            long now = elapsed < 0 ? 0 : elapsed * pace.unitsPerNano;
            long tat = era.word();
            if (tat < 0 || elapsed > pace.longestEra) {
                beginNext(era, pace, nowNanos);
                continue;
            }
            if (permits > pace.capacity) {
                return AWAIT_SIGNAL; // the limit has just become smaller
            }
            long cost = permits * pace.cost;
            long tolerance = pace.tolerance(cost);
            if (tat - now > tolerance) {
                return pace.nanosAt(tat - tolerance) - Math.max(elapsed, -Arguments.MAX_PERIOD_NANOS);
            }
            long from = tat >= now - pace.grace ? tat : now;
            LeastMissing least = era.leastMissing();
            if (moved(era, tat, from + cost, least == null ? null : least.taken(from - now, nowNanos))) {
                return TAKEN;
            }
        }
    }

    @Override
    public void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
        if (actual < taken) {
            remember(nowNanos);
        }
        Refilled.super.settle(taken, actual, released, takenAtNanos, nowNanos);
    }

    /**
     * Begins to remember takes, from the present arrival on: no earlier take used a later time, except where permits came back
     * since.
     */
    private void remember(long nowNanos) {
        Era era = open(nowNanos);
        while (era.leastMissing() == null) {
            long tat = era.freeze();
            LeastMissing from = LeastMissing.from(era.baseNanos + era.pace.nanosAt(tat));
            ERA.compareAndSet(this, era, era.with(tat, from));
            era = open(nowNanos);
        }
    }

    @Override
    public void giveBack(int permits, int taken, long takenAtNanos, long nowNanos) {
        for (; ; ) {
            Era era = open(nowNanos);
            long tat = era.word();
            long credit = Math.min(era.pace.costOf(permits), era.missingSince(taken, takenAtNanos, nowNanos));
            long full = Math.max(0, era.unitsAt(nowNanos) - era.pace.grace);
            if (credit <= 0 || (tat >= 0 && tat <= full)) {
                return;
            }
            LeastMissing least = era.leastMissing();
            long returned = Math.max(full, tat - credit);
            if (tat >= 0 && moved(era, tat, returned, least == null ? null : least.returned(credit, takenAtNanos))) {
                return;
            }
        }
    }

    @Override
    public void charge(int permits, long nowNanos) {
        if (permits <= 0) {
            return;
        }
        for (; ; ) {
            Era era = open(nowNanos);
            long tat = era.word();
            long now = era.unitsAt(nowNanos);
            long owed = Math.min(era.ahead(tat, nowNanos), Pace.MOST_AHEAD) + era.pace.costOf(permits);
            long charged = Math.max(tat, now + Math.min(owed, Pace.MOST_AHEAD));
            LeastMissing least = era.leastMissing();
            if (tat >= 0 && moved(era, tat, charged, least == null ? null : least.taken(tat - now, nowNanos))) {
                return;
            }
        }
    }

    @Override
    public long available(long nowNanos) {
        Era era = this.era;
        return Math.floorDiv(era.pace.room - era.ahead(era.number(), nowNanos), era.pace.cost);
    }

    @Override
    public long nanosUntilOneByOne(long permits, long nowNanos) {
        Era era = this.era;
        Pace pace = era.pace;
        long ahead = era.ahead(era.number(), nowNanos);
        long missing = permits - pace.burst;
        // Multiplies instead of dividing, as refusals of several limits in one call this.
        if (missing <= 0 && ahead + missing * pace.cost <= 0) {
            return 0;
        }
        long earlier = Math.max(0, era.baseNanos - nowNanos);
        return Math.min(pace.nanosAt(ahead, missing), AWAIT_SIGNAL - 1 - earlier) + earlier;
    }

    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        return nanosUntilOneByOne(ahead + (era.pace.spaced ? 1 : permits), nowNanos);
    }

    @Override
    public long nanosUntilFull(long nowNanos) {
        Era era = this.era;
        long ahead = era.ahead(era.number(), nowNanos);
        return ahead <= 0 ? 0 : era.pace.nanosAt(ahead) + Math.max(0, era.baseNanos - nowNanos);
    }

    @Override
    public long nanosSinceFull(long nowNanos) {
        Era era = this.era;
        return Math.max(0, nowNanos - era.baseNanos - era.pace.nanosAt(era.number()));
    }

    @Override
    public int capacity() {
        return era.pace.capacity;
    }

    /** Preserves the number of missing permits, fractions included. */
    @Override
    public void reconfigure(Limit limit, long nowNanos) {
        Pace changed = paceOf(limit);
        while (!beginNext(era, changed, nowNanos)) {}
    }

    private Pace paceOf(Limit limit) {
        if (limit instanceof LeakyBucket leaky && era.pace.spaced) {
            return Pace.of(leaky);
        }
        if (limit instanceof TokenBucket bucket && !bucket.inSteps() && !era.pace.spaced) {
            return Pace.of(bucket);
        }
        throw Kind.mismatch(limit);
    }

    /** Returns an open era, young enough for the given time. */
    private Era open(long nowNanos) {
        for (; ; ) {
            Era era = this.era;
            if (era.word() >= 0 && nowNanos - era.baseNanos <= era.pace.longestEra) {
                return era;
            }
            beginNext(era, era.pace, nowNanos);
        }
    }

    /** Freezes an era and begins the next one. Returns false if another thread did. */
    private boolean beginNext(Era old, Pace pace, long nowNanos) {
        old.freeze();
        return ERA.compareAndSet(this, old, old.next(pace, nowNanos));
    }

    /** Moves the TAT of an open era, in it or, while takes are remembered, to the next. Returns false if the TAT has changed. */
    private boolean moved(Era era, long from, long to, @Nullable LeastMissing next) {
        return era.leastMissing() == null ? era.change(from, to) : ERA.compareAndSet(this, era, era.with(to, next));
    }

    /** A period of time with a base from which it counts, a pace, and the TAT, which is the number that threads change. */
    private abstract static class Era extends Freezable {

        final Pace pace;
        final long baseNanos;

        Era(Pace pace, long baseNanos, long tat) {
            super(tat);
            this.pace = pace;
            this.baseNanos = baseNanos;
        }

        private static Era of(Pace pace, long baseNanos, long tat, @Nullable LeastMissing least) {
            return least == null ? new PlainEra(pace, baseNanos, tat) : new RememberingEra(pace, baseNanos, tat, least);
        }

        /** Null if this era does not remember takes. */
        abstract @Nullable LeastMissing leastMissing();

        /** Returns this era with another arrival, and what is then remembered. */
        Era with(long tat, @Nullable LeastMissing least) {
            return of(pace, baseNanos, tat, least);
        }

        /** Returns how much of what was taken at a time cannot have overflowed, had it not been taken. */
        long missingSince(int taken, long takenAtNanos, long nowNanos) {
            LeastMissing least = leastMissing();
            long untilNanos = least == null ? nowNanos : least.latest(nowNanos);
            long notFlowedIn = pace.costOf(taken) - pace.flowed(takenAtNanos, untilNanos);
            return least == null ? notFlowedIn : Math.max(notFlowedIn, least.since(takenAtNanos));
        }

        /** Returns the next era, which begins well before the present, so that a thread with an earlier time decides by that. */
        Era next(Pace next, long nowNanos) {
            long present = baseNanos + Math.max(0, nowNanos - baseNanos);
            long margin = next.longestEra / 4;
            long ahead = aheadOrBehind(number(), present);
            if (next.isLike(pace)) {
                long arrival = Math.max(0, ahead + margin * pace.unitsPerNano);
                return of(pace.asOf(present), present - margin, arrival, leastMissing());
            }
            long owed = next.converted(Math.max(0, ahead), pace);
            return new PlainEra(next.after(pace, present), present - margin, owed + margin * next.unitsPerNano);
        }

        /** Returns a time in units; only for times within the era. */
        long unitsAt(long nowNanos) {
            return Math.max(0, nowNanos - baseNanos) * pace.unitsPerNano;
        }

        /** Returns how far the arrival lies ahead of a time, or of the base if later; zero if it passed by more than the grace. */
        long ahead(long arrival, long nowNanos) {
            long ahead = aheadOrBehind(arrival, nowNanos);
            return ahead >= -pace.grace ? ahead : 0;
        }

        /** The same, but negative if it has passed, down to the largest countable amount. */
        private long aheadOrBehind(long arrival, long nowNanos) {
            long elapsed = Math.max(0, nowNanos - baseNanos);
            return elapsed > pace.longestEra && elapsed > pace.nanosAt(arrival)
                    ? -Pace.MOST_UNITS
                    : arrival - elapsed * pace.unitsPerNano;
        }
    }

    /** An era in which the TAT moves. */
    private static final class PlainEra extends Era {

        PlainEra(Pace pace, long baseNanos, long tat) {
            super(pace, baseNanos, tat);
        }

        @Override
        @Nullable
        LeastMissing leastMissing() {
            return null;
        }
    }

    /** An era in which the TAT is fixed: each change of it begins another era. */
    private static final class RememberingEra extends Era {

        private final LeastMissing least;

        RememberingEra(Pace pace, long baseNanos, long tat, LeastMissing least) {
            super(pace, baseNanos, tat);
            this.least = least;
        }

        @Override
        LeastMissing leastMissing() {
            return least;
        }
    }
}
