package dev.weir;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A limiter that is none of ours: all that is known of it is its face, of which it has only what has no default. */
public class ForeignLimiter implements RateLimiter {

    private final RateLimiter limiter;

    public ForeignLimiter(RateLimiter limiter) {
        this.limiter = limiter;
    }

    @Override
    public String name() {
        return limiter.name();
    }

    @Override
    public Limit limit() {
        return limiter.limit();
    }

    @Override
    public Lease tryAcquire(int permits) {
        return limiter.tryAcquire(permits);
    }

    @Override
    public CompletableFuture<Lease> acquire(int permits) {
        return limiter.acquire(permits);
    }

    @Override
    public PermitRequest acquire(int permits, PermitListener listener) {
        return limiter.acquire(permits, listener);
    }

    @Override
    public void charge(int permits) {
        limiter.charge(permits);
    }

    @Override
    public void pauseFor(Duration duration) {
        limiter.pauseFor(duration);
    }

    @Override
    public void reconfigure(Limit limit) {
        limiter.reconfigure(limit);
    }

    @Override
    public long availablePermits() {
        return limiter.availablePermits();
    }

    @Override
    public RateLimiterStatistics statistics() {
        return limiter.statistics();
    }

    @Override
    public Optional<Duration> idleDuration() {
        return limiter.idleDuration();
    }

    @Override
    public void close() {
        limiter.close();
    }
}
