package dev.weir.model;

import dev.weir.QueueOrder;
import dev.weir.limit.AllOf;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import java.util.ArrayList;
import java.util.List;

/**
 * The limiter that a script is played on.
 *
 * @param limit what it keeps
 * @param order who goes first
 * @param queueLimit the bound of its queue; negative for none
 * @param maxWaitNanos the bound of a wait; negative for none
 * @param originNanos what the clock shows at first
 */
record Setup(Limit limit, QueueOrder order, int queueLimit, long maxWaitNanos, long originNanos) {

    static Setup of(Limit limit) {
        return new Setup(limit, QueueOrder.OLDEST_FIRST, -1, -1, 0);
    }

    Setup newestFirst() {
        return new Setup(limit, QueueOrder.NEWEST_FIRST, queueLimit, maxWaitNanos, originNanos);
    }

    Setup queueLimit(int permits) {
        return new Setup(limit, order, permits, maxWaitNanos, originNanos);
    }

    Setup maxWait(long nanos) {
        return new Setup(limit, order, queueLimit, nanos, originNanos);
    }

    Setup from(long origin) {
        return new Setup(limit, order, queueLimit, maxWaitNanos, origin);
    }

    boolean keepsExactWindow() {
        return limit instanceof SlidingWindowLog
                || (limit instanceof AllOf several
                        && several.limits().stream().anyMatch(SlidingWindowLog.class::isInstance));
    }

    /** What the debt of an exact window amounts to under another limit is nobody's promise: then there is to be no other. */
    boolean mayReconfigure(long available) {
        return available >= 0 || !keepsExactWindow();
    }

    /** In Java. */
    String source() {
        return "Setup.of(" + Step.source(limit) + ")"
                + (order == QueueOrder.NEWEST_FIRST ? ".newestFirst()" : "")
                + (queueLimit < 0 ? "" : ".queueLimit(" + queueLimit + ")")
                + (maxWaitNanos < 0 ? "" : ".maxWait(" + maxWaitNanos + ")")
                + (originNanos == 0 ? "" : ".from(" + source(originNanos) + ")");
    }

    private static String source(long origin) {
        return origin == Long.MIN_VALUE ? "Long.MIN_VALUE" : origin + "L";
    }

    /** The same with one thing about it simpler. */
    List<Setup> simpler() {
        List<Setup> simpler = new ArrayList<>();
        if (originNanos != 0) {
            simpler.add(from(0));
        }
        if (maxWaitNanos >= 0) {
            simpler.add(maxWait(-1));
        }
        if (queueLimit >= 0) {
            simpler.add(queueLimit(-1));
        }
        if (order == QueueOrder.NEWEST_FIRST) {
            simpler.add(new Setup(limit, QueueOrder.OLDEST_FIRST, queueLimit, maxWaitNanos, originNanos));
        }
        Step.smaller(maxWaitNanos).forEach(nanos -> simpler.add(maxWait(nanos)));
        Step.smaller(queueLimit).forEach(permits -> simpler.add(queueLimit((int) (long) permits)));
        return simpler;
    }
}
