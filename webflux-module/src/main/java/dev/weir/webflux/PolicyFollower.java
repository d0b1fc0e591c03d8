package dev.weir.webflux;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Keeps a limiter at what a server grants: never faster than the limiter was meant to be, never slower than its owner allows.
 *
 * <p>Of several policies the slowest counts, except those of a window longer than the longest pause: nobody spreads the quota
 * of a day over that day. When it is used up, the server says so.
 */
final class PolicyFollower {

    private final RateLimiter limiter;
    private final Limit own;
    private final Optional<Rate> most;
    private final int sharePercent;
    private final int leastPercent;
    private final long longestSeconds;
    private final AtomicReference<Limit> followed;

    PolicyFollower(RateLimiter limiter, int sharePercent, int leastPercent, Duration longestWindow) {
        this.limiter = limiter;
        this.own = limiter.limit();
        this.most = Rate.of(own);
        this.sharePercent = sharePercent;
        this.leastPercent = leastPercent;
        this.longestSeconds = longestWindow.toSeconds();
        this.followed = new AtomicReference<>(own);
    }

    void follow(List<Policy> policies) {
        Optional<Rate> granted = policies.stream()
                .filter(policy -> policy.windowSeconds() <= longestSeconds)
                .map(Rate::of)
                .reduce(Rate::slowerOf);
        if (most.isPresent() && granted.isPresent()) {
            change(limitFor(most.get(), granted.get().percent(sharePercent)));
        }
    }

    /** Keeps the shorter of both times, so that neither quota is exceeded within its own. */
    private Limit limitFor(Rate meant, Rate granted) {
        boolean isNoLess = !meant.isFasterThan(granted) && granted.permits() >= meant.permits();
        if (isNoLess) {
            return own;
        }
        Rate least = meant.percent(leastPercent);
        Rate bounded = granted.slowerOf(meant).fasterOf(least);
        return bounded.within(Math.min(meant.nanos(), granted.nanos())).applyTo(own);
    }

    private void change(Limit wanted) {
        Limit before = followed.get();
        if (!wanted.equals(before) && followed.compareAndSet(before, wanted)) {
            Limit latest;
            do { // whoever changed it meanwhile may have told the limiter before
                latest = Objects.requireNonNull(followed.get());
                limiter.reconfigure(latest);
            } while (followed.get() != latest);
        }
    }
}
