package dev.weir.webflux;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a limiter at what a server grants: never faster than the limiter was meant to be, never slower than its owner allows.
 *
 * <p>Of several policies the slowest counts, except those of a window longer than the longest pause: nobody spreads the quota
 * of a day over that day. When it is used up, the server says so.
 *
 * <p>A limit that was not set here is what the limiter is meant to be from then on. To know it, one thread at a time looks and
 * changes: who comes meanwhile leaves what was granted and goes on.
 */
final class PolicyFollower {

    private final RateLimiter limiter;
    private final int sharePercent;
    private final int leastPercent;
    private final long longestSeconds;

    /** What was granted last, until the limiter is kept to it. Not null while a thread is at it; the others are that thread's. */
    private final AtomicReference<@Nullable Rate> latest = new AtomicReference<>();

    private Limit meant;
    private Limit kept;

    PolicyFollower(RateLimiter limiter, int sharePercent, int leastPercent, Duration longestWindow) {
        this.limiter = limiter;
        this.sharePercent = sharePercent;
        this.leastPercent = leastPercent;
        this.longestSeconds = longestWindow.toSeconds();
        this.meant = limiter.limit();
        this.kept = meant;
    }

    void follow(List<Policy> policies) {
        policies.stream()
                .filter(policy -> policy.windowSeconds() <= longestSeconds)
                .map(Rate::of)
                .reduce(Rate::slowerOf)
                .ifPresent(slowest -> follow(slowest.percent(sharePercent)));
    }

    private void follow(Rate granted) {
        if (latest.getAndSet(granted) != null) {
            return;
        }
        try {
            Rate heard;
            do {
                heard = Objects.requireNonNull(latest.get());
                keepTo(heard);
            } while (!latest.compareAndSet(heard, null));
        } catch (RuntimeException | Error refused) {
            latest.set(null);
            throw refused;
        }
    }

    private void keepTo(Rate granted) {
        Limit present = limiter.limit();
        boolean isSetElsewhere = present != kept; // not by value: its owner may want what a server grants
        if (isSetElsewhere) {
            meant = present;
        }
        Limit wanted = Rate.of(meant).map(rate -> limitFor(rate, granted)).orElse(meant);
        if (wanted.equals(present)) {
            kept = present;
        } else {
            limiter.reconfigure(wanted);
            kept = wanted;
        }
    }

    /** Keeps the shorter of both times, so that neither quota is exceeded within its own. */
    private Limit limitFor(Rate rate, Rate granted) {
        boolean isNoLess = !rate.isFasterThan(granted) && granted.permits() >= Rate.burstOf(meant);
        if (isNoLess) {
            return meant;
        }
        Rate least = rate.percentOrMore(leastPercent);
        Rate bounded = granted.slowerOf(rate).fasterOf(least);
        Rate rounded = bounded.within(Math.min(rate.nanos(), granted.nanos()));
        return least.fasterOf(rounded).applyTo(meant);
    }
}
