package dev.weir;

import dev.weir.limit.DecisionSource;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** A refusal that knows why and by whom: of a {@link Chain}, or for a limiter that failed. */
final class RefusedLease implements Lease {

    private final int permits;
    private final ChainRefusal why;

    RefusedLease(int permits, ChainRefusal why) {
        this.permits = permits;
        this.why = why;
    }

    @Override
    public int permits() {
        return permits;
    }

    @Override
    public boolean isAcquired() {
        return false;
    }

    @Override
    public Optional<RefusalReason> reason() {
        return Optional.of(why.reason());
    }

    @Override
    public Optional<Duration> retryAfter() {
        return why.retryNanos() == PermitEngine.UNBOUNDED
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(why.retryNanos()));
    }

    @Override
    public Optional<String> refusedBy() {
        return Optional.of(why.by());
    }

    @Override
    public OptionalInt refusedAt() {
        return why.member() == ChainLease.ITSELF ? OptionalInt.empty() : OptionalInt.of(why.member());
    }

    @Override
    public Optional<Throwable> cause() {
        return Optional.ofNullable(why.cause());
    }

    @Override
    public DecisionSource source() {
        return why.source();
    }

    @Override
    public void settle(int actualPermits) {
        PermitLease.checkActual(actualPermits);
    }

    @Override
    public void close() {}

    @Override
    public void giveBack() {}
}
