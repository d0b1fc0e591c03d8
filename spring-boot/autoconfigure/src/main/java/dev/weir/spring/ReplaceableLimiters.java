package dev.weir.spring;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import java.lang.ref.WeakReference;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * A partitioned limiter whose limit can be changed for all keys at once, by replacing the delegate. Earlier delegates keep serving
 * whoever waits or holds a lease there, or keeps a reference to the limiter of a key, until this is closed.
 */
final class ReplaceableLimiters implements PartitionedRateLimiter<String> {

    private volatile PartitionedRateLimiter<String> current;

    /** The earlier delegates that are still in use. */
    private final Queue<WeakReference<PartitionedRateLimiter<String>>> before = new ConcurrentLinkedQueue<>();

    private volatile boolean isClosed;

    ReplaceableLimiters(PartitionedRateLimiter<String> first) {
        this.current = first;
    }

    void replaceBy(PartitionedRateLimiter<String> next) {
        before.removeIf(reference -> reference.get() == null);
        before.add(new WeakReference<>(current));
        current = next;
        if (isClosed) { // close() sets this before it reads the current delegate, so that one side closes the new one
            next.close();
        }
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
        isClosed = true;
        Stream<PartitionedRateLimiter<String>> kept =
                before.stream().flatMap(reference -> Stream.ofNullable(reference.get()));
        Closing.each(Stream.concat(Stream.of(current), kept).map(limiters -> limiters::close));
    }
}
