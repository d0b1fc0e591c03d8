package dev.weir;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What is still to be settled, wherever it is: on its way to the drain, or waiting there. Each request is in one number. */
final class Expectation {

    /** Permits that the requests ask for. Positive: somebody would be overtaken. */
    private final AtomicLong permits = new AtomicLong();

    /** Requests for no permits, in whose way nobody is. */
    private final AtomicInteger probes = new AtomicInteger();

    void add(int ofPermits) {
        if (ofPermits == 0) {
            probes.incrementAndGet();
        } else {
            permits.addAndGet(ofPermits);
        }
    }

    void remove(int ofPermits) {
        if (ofPermits == 0) {
            probes.decrementAndGet();
        } else {
            permits.addAndGet(-ofPermits);
        }
    }

    long permits() {
        return permits.get();
    }

    boolean isAny() {
        return permits.get() > 0 || probes.get() > 0;
    }
}
