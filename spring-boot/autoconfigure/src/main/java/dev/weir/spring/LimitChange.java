package dev.weir.spring;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A change of several limits that can be undone until it is published. A limiter may refuse its new limit, which only shows when it
 * is told; limiters of keys are replaced only in the end, as their old ones cannot be brought back unnoticed. Used by one thread.
 */
final class LimitChange {

    private final Deque<Runnable> undo = new ArrayDeque<>();
    private final List<Runnable> publications = new ArrayList<>();

    /** Takes limiters of keys that are to replace others. */
    void replace(ReplaceableLimiters limiters, PartitionedRateLimiter<String> next) {
        undo.push(next::close);
        publications.add(() -> limiters.replaceBy(next));
    }

    /** Changes the limit of a limiter at once. */
    void reconfigure(RateLimiter limiter, Limit limit) {
        Limit before = limiter.limit();
        limiter.reconfigure(limit);
        undo.push(() -> limiter.reconfigure(before));
    }

    void publish() {
        publications.forEach(Runnable::run);
    }

    /** Undoes what has been done, the latest first, all of it; what that throws is added to what was thrown before. */
    void undo(Throwable thrown) {
        while (!undo.isEmpty()) {
            try {
                undo.pop().run();
            } catch (Throwable failure) {
                thrown.addSuppressed(failure);
            }
        }
    }
}
