package dev.weir;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What is still to be settled, wherever it is: on its way to the drain, or waiting there. */
final class Expectation {

    /** Permits that the requests ask for. Positive: somebody would be overtaken. */
    private final AtomicLong permits = new AtomicLong();

    private final AtomicInteger requests = new AtomicInteger();

    void add(int ofPermits) {
        permits.addAndGet(ofPermits);
        requests.incrementAndGet();
    }

    void remove(int ofPermits) {
        permits.addAndGet(-ofPermits);
        requests.decrementAndGet();
    }

    long permits() {
        return permits.get();
    }

    boolean isAny() {
        return requests.get() > 0;
    }
}
