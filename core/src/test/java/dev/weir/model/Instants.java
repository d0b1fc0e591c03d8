package dev.weir.model;

import java.util.function.LongPredicate;

/** Looks for the first instant at which something holds that holds from then on. */
final class Instants {

    private Instants() {}

    /** Returns that instant, at the given one or later; {@link LimitModel#NEVER} if time does not help. */
    static long first(long from, LongPredicate holds) {
        if (holds.test(from)) {
            return from;
        }
        if (!holds.test(LimitModel.DOOMSDAY)) {
            return LimitModel.NEVER;
        }
        long step = 1;
        while (!holds.test(from + step)) {
            step *= 2;
        }
        long tooEarly = from + step / 2;
        long inTime = from + step;
        while (inTime - tooEarly > 1) {
            long middle = tooEarly + (inTime - tooEarly) / 2;
            if (holds.test(middle)) {
                inTime = middle;
            } else {
                tooEarly = middle;
            }
        }
        return inTime;
    }
}
