package dev.weir;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts unsettled requests, on their way to the drain or waiting in it: each in exactly one of the three numbers. */
final class Unsettled {

    /** Permits asked for by requests that do not come from a chain. */
    private final AtomicLong permitsAlone = new AtomicLong();

    /** Permits asked for by requests of chains. */
    private final AtomicLong permitsOfChains = new AtomicLong();

    /** Requests for zero permits; they do not hold up others. */
    private final AtomicInteger probes = new AtomicInteger();

    void add(Waiter waiter) {
        add(waiter, 1);
    }

    void remove(Waiter waiter) {
        add(waiter, -1);
    }

    private void add(Waiter waiter, int sign) {
        if (waiter.permits == 0) {
            probes.addAndGet(sign);
        } else {
            (waiter.isOfChain ? permitsOfChains : permitsAlone).addAndGet((long) sign * waiter.permits);
        }
    }

    /** Returns the permits asked for in total; if positive, a new request would overtake others. */
    long permits() {
        return permitsAlone.get() + permitsOfChains.get();
    }

    boolean isAnyAlone() {
        return permitsAlone.get() > 0;
    }

    boolean isAny() {
        return permits() > 0 || probes.get() > 0;
    }
}
