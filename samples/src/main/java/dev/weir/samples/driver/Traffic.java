package dev.weir.samples.driver;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.samples.GrantClock;
import dev.weir.samples.Intervals;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Evenly spaced requests, some of which a limiter admits. None waits; each admitted request takes a second. Each request
 * schedules the next one at an absolute instant, so that late timers do not change the rate.
 */
final class Traffic {

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /**
     * The result.
     *
     * @param perSecond how many requests were admitted per second on average
     * @param mostInAnySecond the most requests admitted in any one second
     */
    record Outcome(double perSecond, int mostInAnySecond) {}

    private final RateLimiter limiter;
    private final int perSecond;
    private final GrantClock time;
    private final List<Long> admitted = new ArrayList<>();
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    Traffic(Limit limit, int perSecond, TimeSource time) {
        this.time = new GrantClock(time);
        this.limiter = RateLimiter.builder(limit).timeSource(this.time).build();
        this.perSecond = perSecond;
    }

    /** Offers requests for a duration, starting at an instant. */
    CompletableFuture<Outcome> offer(long beginNanos, Duration duration) {
        schedule(0, beginNanos, duration.toSeconds() * perSecond);
        return outcome;
    }

    private void schedule(long request, long beginNanos, long requests) {
        long due = beginNanos + request * NANOS_PER_SECOND / perSecond;
        time.schedule(
                () -> {
                    if (request < requests) {
                        request();
                        schedule(request + 1, beginNanos, requests);
                    } else {
                        outcome.complete(outcome(requests / perSecond));
                    }
                },
                due - time.nanoTime());
    }

    private void request() {
        long readBefore = time.nanoTime();
        Lease lease = limiter.tryAcquire();
        if (lease.isAcquired()) {
            long readByLimiter = time.lastReadHere();
            // Use the limiter's own reading of the clock, as a later one may be delayed. A concurrency limit reads
            // none: there a permit counts until its lease is closed, a second after this.
            admitted.add(readByLimiter == readBefore ? time.nanoTime() : readByLimiter);
            time.schedule(lease::close, NANOS_PER_SECOND);
        }
    }

    private Outcome outcome(long seconds) {
        int most = Intervals.mostInAny(admitted.stream().mapToLong(Long::longValue), Duration.ofSeconds(1));
        return new Outcome((double) admitted.size() / seconds, most);
    }
}
