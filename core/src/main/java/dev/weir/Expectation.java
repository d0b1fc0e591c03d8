package dev.weir;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What is still to be settled, wherever it is: on its way to the drain, or waiting there. Each request is in one number. */
final class Expectation {

    /** Permits that requests ask for which come from no chain. */
    private final AtomicLong permitsAlone = new AtomicLong();

    /** Permits that requests of chains ask for. */
    private final AtomicLong permitsOfChains = new AtomicLong();

    /** Requests for no permits, in whose way nobody is. */
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

    /** Positive: somebody would be overtaken. */
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
