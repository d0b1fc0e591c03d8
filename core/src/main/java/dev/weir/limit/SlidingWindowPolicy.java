package dev.weir.limit;

import dev.weir.handle.Handles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.UnaryOperator;

/** Enforces a {@link SlidingWindow}: the exact window, but with permits that are taken within a segment recorded as one. */
final class SlidingWindowPolicy implements Foretelling {

    /*
     * Idea. The open segment is one number: how many permits were taken in it, and how long after its beginning the last of them.
     * All that was before is an immutable log. A permit may be taken when those of the log that are younger than a window, those
     * of the segment, and itself are no more than the limit.
     *
     *      offset of the last (32 bits) | count (31 bits)        the sign: frozen (see Freezable)
     *
     *      open ---- take (CAS) ----> open ---- freeze ----> frozen ---- CAS of the policy's segment ----> replaced
     *
     * Invariants. Segments begin at least a segment's length apart, so at most as many as the window has, and one more, are
     * remembered. A number only changes while it is not frozen, so everything taken is in the log of the next segment. The
     * offset is counted in steps coarse enough to fit, and rounded up: this makes permits count longer, never shorter.
     *
     * Races. Any thread that finds a segment over or frozen makes the next one; one of them wins, the others continue with that.
     * A thread with an earlier time than the last permit of the segment counts as if it took at that permit's time. A thread that
     * is later than the log reaches back has to wait for that long; so have all threads when a longer window reaches back to what
     * was forgotten. Refusals and reads write nothing.
     */

    private static final VarHandle SEGMENT =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(SlidingWindowPolicy.class, "segment", Segment.class));

    private volatile Segment segment;

    SlidingWindowPolicy(SlidingWindow limit, long nowNanos) {
        long never = nowNanos - Arguments.MAX_PERIOD_NANOS;
        this.segment = new Segment(Lengths.of(limit), SegmentLog.EMPTY, never, never, nowNanos, 0);
    }

    @Override
    public long tryTake(int permits, long nowNanos) {
        if (permits == 0) {
            return nanosUntilOneByOne(1, nowNanos);
        }
        for (; ; ) {
            Segment segment = this.segment;
            long word = segment.word();
            if (word < 0) {
                replace(segment, frozen -> frozen.next(nowNanos));
                continue;
            }
            long free = segment.free(word, nowNanos);
            long unknown = segment.nanosUntilKnown(nowNanos);
            if (free < permits) {
                return permits > segment.lengths.permits() // the limit has just become smaller
                        ? AWAIT_SIGNAL
                        : Math.max(unknown, segment.nanosUntilFree(permits - free, word, nowNanos));
            }
            if (unknown > 0) {
                return unknown;
            }
            if (segment.isOver(word, nowNanos)) {
                replace(segment, frozen -> frozen.next(nowNanos));
            } else if (segment.change(word, segment.with(word, permits, nowNanos))) {
                return TAKEN;
            }
        }
    }

    @Override
    public void giveBack(int permits, long takenAtNanos, long nowNanos) {
        if (permits > 0) {
            change(frozen -> frozen.without(permits, takenAtNanos, nowNanos));
        }
    }

    @Override
    public void charge(int permits, long nowNanos) {
        if (permits > 0) {
            change(frozen -> frozen.charged(permits, nowNanos));
        }
    }

    @Override
    public long available(long nowNanos) {
        Segment segment = this.segment;
        return Math.max(0, segment.knownFree(nowNanos)) - segment.debt(nowNanos);
    }

    /** A lower bound for more than the capacity, and for single permits that other permits of their segment may delay. */
    @Override
    public long nanosUntilOneByOne(long permits, long nowNanos) {
        Segment segment = this.segment;
        long word = segment.number();
        long capacity = segment.lengths.permits();
        long windowNanos = segment.lengths.windowNanos();
        long rounds = (permits - 1) / capacity;
        long missing = permits - rounds * capacity - segment.free(word, nowNanos);
        long unknown = Math.max(0, segment.nanosUntilKnown(nowNanos));
        long first = missing <= 0 ? unknown : Math.max(unknown, segment.nanosUntilFree(missing, word, nowNanos));
        return rounds > (AWAIT_SIGNAL - 1 - first) / windowNanos ? AWAIT_SIGNAL - 1 : first + rounds * windowNanos;
    }

    @Override
    public long nanosUntilFull(long nowNanos) {
        return Math.max(0, -segment.nanosSinceFull(nowNanos));
    }

    @Override
    public long nanosSinceFull(long nowNanos) {
        return Math.max(0, segment.nanosSinceFull(nowNanos));
    }

    @Override
    public int capacity() {
        return segment.lengths.permits();
    }

    @Override
    public void reconfigure(Limit limit, long nowNanos) {
        Lengths lengths = Lengths.of(Kind.checked(SlidingWindow.class, limit));
        change(frozen -> frozen.under(lengths, nowNanos));
    }

    private void change(UnaryOperator<Segment> change) {
        while (!replace(segment, change)) {}
    }

    /** Freezes a segment and replaces it by its successor. Returns false if another thread did. */
    private boolean replace(Segment old, UnaryOperator<Segment> change) {
        old.freeze();
        return SEGMENT.compareAndSet(this, old, change.apply(old));
    }

    private record Lengths(int permits, long windowNanos, long segmentNanos, long stepNanos) {

        static final long STEPS = (1L << 32) - 1;

        static Lengths of(SlidingWindow limit) {
            long windowNanos = limit.window().toNanos();
            long segmentNanos = (windowNanos - 1) / limit.segments() + 1;
            return new Lengths(limit.permits(), windowNanos, segmentNanos, (segmentNanos - 1) / STEPS + 1);
        }
    }

    /** The period of time in which permits are recorded together, and the log of all that was before. */
    private static final class Segment extends Freezable {

        private static final int COUNT_BITS = 31;

        final Lengths lengths;
        final SegmentLog log;

        /** The time of the latest take that the log no longer contains. */
        final long forgottenNanos;

        /** The latest place that a charge has taken; what was there a window earlier is no longer in the log, either. */
        final long chargedNanos;

        final long beginNanos;

        Segment(Lengths lengths, SegmentLog log, long forgottenNanos, long chargedNanos, long beginNanos, long word) {
            super(word);
            this.lengths = lengths;
            this.log = log;
            this.forgottenNanos = forgottenNanos;
            this.chargedNanos = chargedNanos;
            this.beginNanos = beginNanos;
        }

        private static int count(long word) {
            return (int) (word & Integer.MAX_VALUE);
        }

        private long lastNanos(long word) {
            return beginNanos + (word >>> COUNT_BITS) * lengths.stepNanos();
        }

        /** Returns whether a permit taken now belongs to the next segment; this one may not even have begun. */
        boolean isOver(long word, long nowNanos) {
            long elapsed = nowNanos - beginNanos;
            return elapsed >= lengths.segmentNanos() || (elapsed > 0 && count(word) == 0);
        }

        /** Positive if what was forgotten still counts: for a thread whose clock is late, or if the window has become longer. */
        long nanosUntilKnown(long nowNanos) {
            boolean hasForgotten = beginNanos - forgottenNanos < Arguments.MAX_PERIOD_NANOS;
            return hasForgotten ? forgottenNanos + lengths.windowNanos() - nowNanos : 0;
        }

        long free(long word, long nowNanos) {
            boolean counts = nowNanos - lastNanos(word) < lengths.windowNanos();
            return lengths.permits() - log.used(nowNanos, lengths.windowNanos()) - (counts ? count(word) : 0);
        }

        long knownFree(long nowNanos) {
            return nanosUntilKnown(nowNanos) > 0 ? 0 : free(number(), nowNanos);
        }

        long nanosUntilFree(long missing, long word, long nowNanos) {
            long windowNanos = lengths.windowNanos();
            long oldest = log.timeOf(missing, lastNanos(word), nowNanos, windowNanos);
            return Math.min(oldest - nowNanos, Long.MAX_VALUE - 1 - windowNanos) + windowNanos;
        }

        long with(long word, int permits, long nowNanos) {
            long elapsed = Math.max(0, nowNanos - beginNanos);
            long step = elapsed == 0 ? 0 : (elapsed - 1) / lengths.stepNanos() + 1;
            return (Math.max(step, word >>> COUNT_BITS) << COUNT_BITS) + count(word) + permits;
        }

        /** Negative until nothing counts any more. */
        long nanosSinceFull(long nowNanos) {
            long word = number();
            long here = count(word) == 0 ? beginNanos - lengths.windowNanos() : lastNanos(word);
            return nowNanos - log.latest(laterOf(here, forgottenNanos)) - lengths.windowNanos();
        }

        Segment next(long nowNanos) {
            return of(lengths, whole(), nowNanos);
        }

        /** Debt lies ahead of the segment; what is ahead only of a late clock is no debt. */
        long debt(long nowNanos) {
            return log.debt(laterOf(beginNanos, nowNanos), lengths.windowNanos());
        }

        /**
         * Gives permits back and leaves the segment open, so that giving back adds no segments. Permits are in the log if they
         * were taken before the segment was open, or if it began at that very time: so those that the log has from then on go
         * first, and never count longer.
         */
        Segment without(int permits, long takenAtNanos, long nowNanos) {
            long open = number();
            long now = laterOf(lastNanos(open), nowNanos);
            if (now - takenAtNanos >= lengths.windowNanos() || takenAtNanos - forgottenNanos <= 0) {
                return new Segment(lengths, log, forgottenNanos, chargedNanos, beginNanos, open);
            }
            if (log.isInDebt(now)) {
                return of(
                        lengths,
                        whole().without(permits, lengths.permits(), takenAtNanos, now, lengths.windowNanos()),
                        now);
            }
            SegmentLog less = log.withoutFrom(takenAtNanos, permits);
            int left = permits - (int) (log.sum - less.sum);
            return new Segment(
                    lengths, less, forgottenNanos, chargedNanos, beginNanos, open - Math.min(left, count(open)));
        }

        Segment charged(long permits, long nowNanos) {
            long open = number();
            if (permits <= free(open, nowNanos)) {
                Segment segment = isOver(open, nowNanos) ? next(nowNanos) : this;
                return segment.taken(segment.number(), (int) permits, nowNanos);
            }
            long now = laterOf(lastNanos(open), nowNanos);
            SegmentLog charged = whole().charged(permits, lengths.permits(), now, lengths.windowNanos());
            return of(lengths, charged, now).having(forgottenNanos, charged.latest(now));
        }

        private Segment taken(long open, int permits, long nowNanos) {
            return new Segment(lengths, log, forgottenNanos, chargedNanos, beginNanos, with(open, permits, nowNanos));
        }

        /**
         * Returns the segment under a changed limit. All that still counts also counts under that limit, even without a place in
         * it. Debt is removed first and charged again afterwards.
         */
        Segment under(Lengths changed, long nowNanos) {
            long now = laterOf(lastNanos(number()), nowNanos);
            long debt = log.debt(now, lengths.windowNanos());
            Segment segment = of(changed, whole().repaid(debt, lengths.permits(), now, lengths.windowNanos()), now);
            Segment known = grows(changed) ? segment.having(replacedUntil(now), chargedNanos) : segment;
            return debt == 0 ? known : known.charged(debt, now);
        }

        private boolean grows(Lengths changed) {
            return changed.windowNanos() > lengths.windowNanos();
        }

        /** Returns the latest possible time of a take that a charge has replaced. */
        private long replacedUntil(long nowNanos) {
            return (chargedNanos - nowNanos < 0 ? chargedNanos : nowNanos) - lengths.windowNanos();
        }

        private Segment having(long forgotten, long charged) {
            return new Segment(
                    lengths,
                    log,
                    laterOf(forgottenNanos, forgotten),
                    laterOf(chargedNanos, charged),
                    beginNanos,
                    number());
        }

        private SegmentLog whole() {
            return log.with(count(number()), lastNanos(number()));
        }

        /** Forgets what did not count when this segment began: it counts for no thread, except one that is late by as much. */
        private Segment of(Lengths changed, SegmentLog whole, long nowNanos) {
            long window = Math.max(lengths.windowNanos(), changed.windowNanos());
            SegmentLog kept = whole.since(beginNanos, window);
            long forgotten = kept == whole ? forgottenNanos : laterOf(forgottenNanos, whole.latestBefore(kept));
            long begin = laterOf(lastNanos(number()), nowNanos);
            long never = begin - Arguments.MAX_PERIOD_NANOS; // kept up, or after centuries it would seem to lie ahead
            return new Segment(changed, kept, laterOf(forgotten, never), laterOf(chargedNanos, never), begin, 0);
        }

        private static long laterOf(long nanos, long otherNanos) {
            return nanos - otherNanos > 0 ? nanos : otherNanos;
        }
    }
}
