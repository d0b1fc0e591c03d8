package dev.weir.redis;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of it when a node last gave up what it had booked, as permits had come back, to book it anew and perhaps sooner. Where
 * others had booked meanwhile it came after those. Immutable.
 *
 * @param givenUp the first that was given up, until the answer tells what that was good for
 * @param keepsUntilNanos until when nothing more is given up for that, as it was in vain
 */
record Hindsight(@Nullable Held givenUp, long keepsUntilNanos) {

    private static final long KEEPING_NANOS = 10_000_000_000L;

    static Hindsight none(long nowNanos) {
        return new Hindsight(null, nowNanos);
    }

    boolean isWorthATry(long nowNanos) {
        return keepsUntilNanos - nowNanos <= 0;
    }

    Hindsight givingUp(List<Held> booked) {
        return givenUp != null || booked.isEmpty() ? this : new Hindsight(booked.get(0), keepsUntilNanos);
    }

    /** The same without what was given up, where the answer would tell of something else as well. */
    Hindsight withoutComparison() {
        return givenUp == null ? this : new Hindsight(null, keepsUntilNanos);
    }

    Hindsight after(Question question, Answer answer, long nowNanos) {
        Held before = givenUp;
        if (before == null || question.one() == 0) {
            return this;
        }
        boolean isBooked = answer.granted() == 0 && !answer.bookings().isEmpty();
        long first = answer.nowNanos() + (isBooked ? answer.bookings().get(0).inNanos() : 0);
        boolean isInVain = question.one() <= before.one() && isBooked && first - before.storeNanos() > 0;
        return new Hindsight(null, isInVain ? nowNanos + KEEPING_NANOS : keepsUntilNanos);
    }
}
