package dev.weir.samples.gateway;

import dev.weir.RateLimiterObserver;
import dev.weir.RefusalReason;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** What the page shows of one limit: permits, queue, and how many were admitted and refused since it last looked. */
final class Lights implements RateLimiterObserver {

    private final String name;
    private final Runnable onGrant;
    private final LongAdder admitted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private volatile LongSupplier available = () -> 0;
    private volatile LongSupplier queued = () -> 0;

    Lights(String name) {
        this(name, () -> {});
    }

    /** Has something done at each grant, right after it and on the same thread. */
    Lights(String name, Runnable onGrant) {
        this.name = name;
        this.onGrant = onGrant;
    }

    /** Says where permits and queue can be read; a limit by key has neither for all keys together. */
    void read(LongSupplier permits, LongSupplier waiting) {
        available = permits;
        queued = waiting;
    }

    @Override
    public void onAcquired(int permits, long waitedNanos) {
        onGrant.run();
        admitted.add(permits);
    }

    @Override
    public void onRefused(int permits, RefusalReason reason) {
        refused.add(permits);
    }

    long admitted() {
        return admitted.sum();
    }

    long refused() {
        return refused.sum();
    }

    String json() {
        return String.format(
                Locale.ROOT,
                "{\"name\":\"%s\",\"available\":%d,\"queued\":%d,\"admitted\":%d,\"refused\":%d}",
                name,
                available.getAsLong(),
                queued.getAsLong(),
                admitted.sum(),
                refused.sum());
    }
}
