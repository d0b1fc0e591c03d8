package dev.weir.redis;

import dev.weir.limit.AllOf;
import dev.weir.limit.CountingCalls;
import dev.weir.limit.Limit;
import dev.weir.limit.Unlimited;
import java.util.ArrayList;
import java.util.List;

/**
 * One of the limits that are combined in a limit, or that limit itself.
 *
 * @param limit what it allows
 * @param calls whether it counts requests rather than permits
 * @param anySize whether a request of any number of permits is available as long as one is: it counts requests, and is combined with
 *     limits that may count permits
 */
record LimitPart(Limit limit, boolean calls, boolean anySize) {

    /** Returns the parts of a limit, in order; none that grant everything. */
    static List<LimitPart> of(Limit limit) {
        List<LimitPart> parts = new ArrayList<>();
        collect(limit, false, false, parts);
        return List.copyOf(parts);
    }

    private static void collect(Limit limit, boolean calls, boolean anySize, List<LimitPart> parts) {
        if (limit instanceof AllOf several) {
            several.limits().forEach(each -> collect(each, calls, anySize || each instanceof CountingCalls, parts));
        } else if (limit instanceof CountingCalls counting) {
            collect(counting.limit(), true, anySize, parts);
        } else if (!(limit instanceof Unlimited)) {
            parts.add(new LimitPart(limit, calls, anySize));
        }
    }

    /** Returns how much it counts of requests for that many permits in all. */
    long counts(long permits, long requests) {
        return calls ? requests : permits;
    }

    /** Returns how much of it is there when none is in use. */
    long whenFull() {
        return LimitTraits.whenFull(limit);
    }

    /** Returns how much of it can be taken without waiting in between. */
    long most() {
        return LimitTraits.most(limit);
    }

    /** Returns how long it takes to bring all that it has; zero if time brings nothing. */
    long periodNanos() {
        return LimitTraits.periodNanos(limit);
    }
}
