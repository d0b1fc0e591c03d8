package dev.weir.redis;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;

/** Nodes of a fleet in one virtual time, whose store, the scripts of a server, is a trip of a millisecond away. */
final class DistantNodes {

    static final long MILLI = 1_000_000;
    static final long TRIP_NANOS = MILLI;

    private static final Duration STEP = Duration.ofMillis(1);

    private static final NodeSettings SETTINGS = new TestSettings()
            .deadlineNanos(500 * MILLI)
            .aheadNanos(250 * MILLI)
            .pollNanos(100 * MILLI)
            .renewNanos(3_000 * MILLI)
            .whenUnavailable(WhenUnavailable.REFUSE)
            .build();

    private final VirtualTimeSource time = new VirtualTimeSource();

    long nanoTime() {
        return time.nanoTime();
    }

    void advance(Duration duration) {
        for (long left = duration.toNanos(); left > 0; left -= STEP.toNanos()) {
            time.advanceBy(STEP);
        }
    }

    void later(long nanos, Runnable task) {
        TimeSource.Cancellable unused = time.schedule(task, nanos);
    }

    /** The way of one node to the store. */
    DistantStore store(ScriptHost host, String tag, String node) {
        return new DistantStore(new ScriptStore(host, tag, time, node), time, TRIP_NANOS);
    }

    RateLimiter node(Limit limit, Store store, String name) {
        return ModelFleet.builder(limit, store, SETTINGS)
                .name(name)
                .timeSource(time)
                .build();
    }
}
