package dev.weir.redis;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Back-off for booking anew. When permits come back, a node gives up its bookings to book again, perhaps sooner; if others have
 * booked in the meantime, its new bookings come after theirs, and it keeps its bookings for a while. When permits are charged, it
 * gives up its bookings to book again behind the charge; as others may have booked, it then keeps the new ones for a while in any
 * case, or one charge after another would put its waiting requests behind those of others for ever. Immutable.
 *
 * @param givenUp the first booking that was given up, until the answer shows whether that was worth it
 * @param keepsUntilNanos until when no more bookings are given up for permits that come back, as the last attempt was in vain
 * @param keepsForChargesUntilNanos the same for charges
 */
record RebookingBackoff(@Nullable Grant givenUp, long keepsUntilNanos, long keepsForChargesUntilNanos) {

    private static final long KEEPING_NANOS = 10_000_000_000L;

    static RebookingBackoff none(long nowNanos) {
        return new RebookingBackoff(null, nowNanos, nowNanos);
    }

    boolean isWorthATry(long nowNanos) {
        return keepsUntilNanos - nowNanos <= 0;
    }

    RebookingBackoff givingUp(List<Grant> booked) {
        return givenUp != null || booked.isEmpty() ? this : with(booked.get(0), keepsUntilNanos);
    }

    /** Returns this without the booking given up, when the answer will reflect other changes as well. */
    RebookingBackoff withoutComparison() {
        return givenUp == null ? this : with(null, keepsUntilNanos);
    }

    RebookingBackoff after(Question question, Answer answer, long nowNanos) {
        Grant before = givenUp;
        if (before == null || question.one() == 0) {
            return this;
        }
        boolean isBooked = answer.granted() == 0 && !answer.bookings().isEmpty();
        long first = answer.nowNanos() + (isBooked ? answer.bookings().get(0).inNanos() : 0);
        boolean isInVain = question.one() <= before.one() && isBooked && first - before.storeNanos() > 0;
        return with(null, isInVain ? nowNanos + KEEPING_NANOS : keepsUntilNanos);
    }

    boolean isWorthATryForCharge(long nowNanos) {
        return keepsForChargesUntilNanos - nowNanos <= 0;
    }

    RebookingBackoff forCharge(long nowNanos) {
        return new RebookingBackoff(givenUp, keepsUntilNanos, nowNanos + KEEPING_NANOS);
    }

    private RebookingBackoff with(@Nullable Grant booking, long untilNanos) {
        return new RebookingBackoff(booking, untilNanos, keepsForChargesUntilNanos);
    }
}
