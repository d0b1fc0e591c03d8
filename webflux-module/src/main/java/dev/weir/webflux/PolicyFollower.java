package dev.weir.webflux;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/**
 * Adapts a limiter to the {@linkplain Quotas quotas} that a server announces: never faster than configured, never slower
 * than its owner allows.
 *
 * <p>Of several policies all are kept to, each in its own window. Those whose window is longer than the longest pause are ignored, as
 * spreading the quota of a day over the day makes no sense: when it is used up, the server says so.
 *
 * <p>A limit that was not set by this class is taken as the new configured limit. To detect that, one thread at a time compares and
 * changes; any other thread meanwhile stores the latest grant for it and returns without blocking.
 */
final class PolicyFollower {

    private final RateLimiter limiter;
    private final int sharePercent;
    private final int leastPercent;
    private final long longestSeconds;

    /** What was granted last, until applied. Not null while a thread applies it; that thread alone changes the fields below. */
    private final AtomicReference<@Nullable Quotas> latest = new AtomicReference<>();

    /** Counted for those who have asked under an earlier limit; read by any thread. */
    private final AtomicInteger changes = new AtomicInteger();

    private Limit meant;
    private Limit kept;

    /** What the limiter has refused since it last accepted a change, and is not asked for again with every response. */
    private @Nullable Limit refused;

    PolicyFollower(RateLimiter limiter, int sharePercent, int leastPercent, Duration longestWindow) {
        this.limiter = limiter;
        this.sharePercent = sharePercent;
        this.leastPercent = leastPercent;
        this.longestSeconds = longestWindow.toSeconds();
        this.meant = limiter.limit();
        this.kept = meant;
    }

    /** Returns how often the limit has been changed so far. */
    int changes() {
        return changes.get();
    }

    void follow(List<QuotaPolicy> policies) {
        List<Rate> quotas = policies.stream()
                .filter(policy -> policy.windowSeconds() <= longestSeconds)
                .map(policy -> Rate.of(policy).percent(sharePercent))
                .toList();
        if (!quotas.isEmpty()) {
            follow(new Quotas(quotas));
        }
    }

    private void follow(Quotas granted) {
        if (latest.getAndSet(granted) != null) {
            return;
        }
        Throwable failure = null;
        Quotas heard;
        do {
            heard = Objects.requireNonNull(latest.get());
            try {
                keepTo(heard);
            } catch (Throwable notKept) {
                failure = notKept; // a later grant may be kept to all the same
            }
        } while (!latest.compareAndSet(heard, null));
        if (failure != null) {
            throw Exceptions.propagate(failure);
        }
    }

    private void keepTo(Quotas granted) {
        Limit present = limiter.limit();
        boolean isSetElsewhere = present != kept; // by identity: the owner may set a limit equal to the server's
        if (isSetElsewhere) {
            meant = present;
        }
        Limit wanted = Rate.of(meant)
                .map(rate -> granted.bound(meant, rate, leastPercent))
                .orElse(meant);
        if (wanted.equals(present)) {
            kept = present;
        } else if (!wanted.equals(refused)) {
            change(wanted);
        }
    }

    private void change(Limit wanted) {
        try {
            limiter.reconfigure(wanted);
            changes.incrementAndGet();
            kept = wanted;
            refused = null;
        } catch (IllegalArgumentException | UnsupportedOperationException refusal) {
            refused = wanted;
            throw refusal;
        }
    }
}
