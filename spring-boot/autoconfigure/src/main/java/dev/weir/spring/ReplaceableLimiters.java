package dev.weir.spring;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import java.util.concurrent.CompletableFuture;

/**
 * Limiters by key whose limit can change for all keys at once: by others that take their place. Those before are left to whoever
 * waits or holds a lease there.
 */
final class ReplaceableLimiters implements PartitionedRateLimiter<String> {

    private volatile PartitionedRateLimiter<String> current;

    ReplaceableLimiters(PartitionedRateLimiter<String> first) {
        this.current = first;
    }

    void replaceBy(PartitionedRateLimiter<String> next) {
        current = next;
    }

    @Override
    public RateLimiter forKey(String key) {
        return current.forKey(key);
    }

    @Override
    public Lease tryAcquire(String key, int permits) {
        return current.tryAcquire(key, permits);
    }

    @Override
    public CompletableFuture<Lease> acquire(String key, int permits) {
        return current.acquire(key, permits);
    }

    @Override
    public long keyCount() {
        return current.keyCount();
    }

    @Override
    public void close() {
        current.close();
    }
}
