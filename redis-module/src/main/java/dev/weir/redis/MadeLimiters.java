package dev.weir.redis;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.handle.Every;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The limiters that one {@link RedisRateLimiters} has made and that are still in use, to be closed with it. References are weak: a waiting
 * request keeps its limiter reachable, and the node knows what has to be given back in the end.
 */
final class MadeLimiters {

    private final Set<Reference<AutoCloseable>> made = ConcurrentHashMap.newKeySet();
    private final ReferenceQueue<AutoCloseable> unused = new ReferenceQueue<>();
    private volatile boolean closed;

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("these limiters are closed");
        }
    }

    /** Registers a new limiter to be closed with the others. If this takes no more of them, closes it and throws. */
    void keep(AutoCloseable limiter) {
        for (Reference<?> gone = unused.poll(); gone != null; gone = unused.poll()) {
            made.remove(gone);
        }
        made.add(new WeakReference<>(limiter, unused));
        if (closed) {
            close(limiter);
            checkOpen();
        }
    }

    /** Takes no more limiters from now on. */
    void takeNoMore() {
        closed = true;
    }

    /** Closes all, once no more are taken. */
    void closeAll() {
        try {
            Every.one(made, limiter -> close(limiter.get()));
        } finally {
            made.clear();
        }
    }

    private static void close(@Nullable AutoCloseable limiter) {
        if (limiter instanceof RateLimiter one) {
            one.close();
        } else if (limiter instanceof PartitionedRateLimiter<?> many) {
            many.close();
        }
    }
}
