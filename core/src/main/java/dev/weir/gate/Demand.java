package dev.weir.gate;

import java.util.concurrent.atomic.AtomicLong;

/** The elements that downstream has requested and not received. Raised by any thread, used up inside the drain only. */
final class Demand {

    /** The total ever requested; {@link Long#MAX_VALUE} means unbounded. */
    private final AtomicLong requested = new AtomicLong();

    private long used;

    void add(long elements) {
        requested.getAndAccumulate(elements, Demand::sum);
    }

    /** The demand of two requests together, which is at most {@link Long#MAX_VALUE}. */
    static long sum(long elements, long more) {
        long sum = elements + more;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    boolean isThere() {
        return requested.get() > used;
    }

    void use() {
        used++;
    }

    /** The demand that is left; outside the drain a snapshot. */
    long left() {
        long all = requested.get();
        return all == Long.MAX_VALUE ? all : Math.max(0, all - used);
    }
}
