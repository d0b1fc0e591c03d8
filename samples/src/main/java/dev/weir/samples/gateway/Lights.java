package dev.weir.samples.gateway;

import dev.weir.RateLimiterObserver;
import dev.weir.RefusalReason;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What the page shows of one limit: permits, queue, and how many requests were admitted and refused so far. */
final class Lights implements RateLimiterObserver {

    private final String name;
    private final Runnable onGrant;
    private final LongAdder admitted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private volatile @Nullable LongSupplier available;
    private volatile @Nullable LongSupplier queued;

    Lights(String name) {
        this(name, () -> {});
    }

    /** Runs {@code onGrant} right after each grant, on the same thread. */
    Lights(String name, Runnable onGrant) {
        this.name = name;
        this.onGrant = onGrant;
    }

    /** Sets where permits and queue are read; a limit by key has neither for all keys together, and others have no queue. */
    void read(LongSupplier permits, @Nullable LongSupplier waiting) {
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

    /** Returns an observer of a further limit that the same requests have to pass: those that it refuses are shown here, too. */
    RateLimiterObserver ofRefusals() {
        return new RateLimiterObserver() {
            @Override
            public void onRefused(int permits, RefusalReason reason) {
                Lights.this.onRefused(permits, reason);
            }
        };
    }

    long admitted() {
        return admitted.sum();
    }

    long refused() {
        return refused.sum();
    }

    private static String read(@Nullable LongSupplier figure) {
        return figure == null ? "null" : Long.toString(figure.getAsLong());
    }

    String json() {
        return String.format(
                Locale.ROOT,
                "{\"name\":\"%s\",\"available\":%s,\"queued\":%s,\"admitted\":%d,\"refused\":%d}",
                name,
                read(available),
                read(queued),
                admitted.sum(),
                refused.sum());
    }
}
