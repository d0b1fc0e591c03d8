package dev.weir;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What is still to be settled, wherever it is: on its way to the drain, or waiting there. Each request is in one number. */
final class Expectation {

    /** Permits that the requests ask for. Positive: somebody would be overtaken. */
    private final AtomicLong permits = new AtomicLong();

    /** How many of them are for requests of chains. */
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
            return;
        }
        permits.addAndGet((long) sign * waiter.permits);
        if (waiter.isOfChain) {
            permitsOfChains.addAndGet((long) sign * waiter.permits);
        }
    }

    long permits() {
        return permits.get();
    }

    /** Tells whether a request waits that is not of a chain; perhaps also while one of a chain comes or goes. */
    boolean isAnyButOfChains() {
        return permits.get() != permitsOfChains.get();
    }

    boolean isAny() {
        return permits.get() > 0 || probes.get() > 0;
    }
}
