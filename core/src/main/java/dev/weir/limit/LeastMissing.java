package dev.weir.limit;

import org.jspecify.annotations.Nullable;

/**
 * A history of how little was missing in a bucket since when. That much of what was taken then would not have overflowed, had it
 * not been taken.
 *
 * <p>Time only ever adds tokens, so least is missing just before a take: those are the moments to record. What was missing at
 * earlier ones does not matter if it was more. The rest is a staircase: the times of takes, latest first, and the least that was
 * found missing after each, until the next step began; the further back, the less.
 *
 * <p>A take at a time that is not later than that of the previous take adds nothing: no time has passed in which anything could
 * have overflowed.
 *
 * <p>Immutable. Whatever is not known exactly counts as less: if there are too many steps, every other one is merged with the one
 * before.
 */
final class LeastMissing {

    private static final int MOST_STEPS = 32;

    private static final long NOT_YET_LOOKED = Long.MAX_VALUE;

    private final long sinceNanos;
    private final long least;
    private final @Nullable LeastMissing before;
    private final int steps;

    private LeastMissing(long sinceNanos, long least, @Nullable LeastMissing before) {
        this.sinceNanos = sinceNanos;
        this.least = least;
        this.before = before;
        this.steps = before == null ? 1 : before.steps + 1;
    }

    /** Returns a history that begins at a time. */
    static LeastMissing from(long nowNanos) {
        return new LeastMissing(nowNanos, NOT_YET_LOOKED, null);
    }

    /** Returns the least that was missing at any take after one at that time; zero if that is not known. */
    long since(long takenAtNanos) {
        long least = this.least;
        LeastMissing step = this;
        while (takenAtNanos - step.sinceNanos < 0) {
            step = step.before;
            if (step == null) {
                return 0;
            }
            least = Math.min(least, step.least);
        }
        return least;
    }

    /** Returns the later of a time and that of the latest recorded take. */
    long latest(long nowNanos) {
        return before != null && sinceNanos - nowNanos > 0 ? sinceNanos : nowNanos;
    }

    /**
     * Returns the history after a take that found {@code missing} missing; null if nothing was: then all that was taken before
     * has returned.
     */
    @Nullable
    LeastMissing taken(long missing, long nowNanos) {
        if (missing <= 0) {
            return null;
        }
        boolean isLater = nowNanos - sinceNanos > 0;
        if (!isLater && before != null) {
            return this;
        }
        long least = Math.min(this.least, missing);
        return isLater
                ? new LeastMissing(nowNanos, NOT_YET_LOOKED, step(least))
                : new LeastMissing(sinceNanos, least, null);
    }

    /** Returns the last step, which went down to {@code least}, merged with those before it that were not lower. */
    private LeastMissing step(long least) {
        long since = sinceNanos;
        LeastMissing lower = before;
        while (lower != null && lower.least >= least) {
            since = lower.sinceNanos;
            lower = lower.before;
        }
        LeastMissing step = new LeastMissing(since, least, lower);
        return step.steps < MOST_STEPS ? step : step.thinned();
    }

    private LeastMissing thinned() {
        if (before == null || before.before == null) {
            return this;
        }
        LeastMissing next = before.before;
        LeastMissing both = new LeastMissing(next.sinceNanos, Math.min(next.least, before.least), next.before);
        return new LeastMissing(sinceNanos, least, both.thinned());
    }

    /** Returns the history after {@code credit} of what was taken at that time has been given back. */
    LeastMissing returned(long credit, long takenAtNanos) {
        boolean isEarlier = takenAtNanos - sinceNanos < 0;
        LeastMissing earlier = isEarlier && before != null ? before.returned(credit, takenAtNanos) : before;
        return new LeastMissing(sinceNanos, least == NOT_YET_LOOKED ? least : Math.max(0, least - credit), earlier);
    }
}
