package dev.weir;

import dev.weir.limit.DecisionSource;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A refusal that knows why and by whom: of a {@link Chain}, or for a limiter that failed.
 *
 * @param permits how many were requested
 * @param why the reason of the refusal
 * @param by the name of the limiter that refused
 * @param member the index of the member that refused, or {@link Members#NONE} if that is the chain, or no member
 * @param failure the underlying failure
 * @param retryNanos nanoseconds until a retry would succeed, {@link PermitEngine#UNBOUNDED} if unknown
 * @param source where the decision was made
 */
record RefusedLease(
        int permits,
        RefusalReason why,
        String by,
        int member,
        @Nullable Throwable failure,
        long retryNanos,
        DecisionSource source)
        implements Lease {

    /** By a member that can never grant the request, or for which time does not tell when. */
    static RefusedLease exhausted(int permits, String by, int member) {
        return here(permits, RefusalReason.EXHAUSTED, by, member, null);
    }

    /** By a member that has been closed. */
    static RefusedLease closed(int permits, String by, int member) {
        return here(permits, RefusalReason.CLOSED, by, member, null);
    }

    /** By a limiter that failed. */
    static RefusedLease broken(int permits, String by, Throwable failure) {
        return here(permits, RefusalReason.BACKEND_UNAVAILABLE, by, Members.NONE, failure);
    }

    private static RefusedLease here(
            int permits, RefusalReason why, String by, int member, @Nullable Throwable failure) {
        return new RefusedLease(permits, why, by, member, failure, PermitEngine.UNBOUNDED, DecisionSource.LOCAL);
    }

    @Override
    public boolean isAcquired() {
        return false;
    }

    @Override
    public Optional<RefusalReason> reason() {
        return Optional.of(why);
    }

    @Override
    public Optional<Duration> retryAfter() {
        return retryNanos == PermitEngine.UNBOUNDED ? Optional.empty() : Optional.of(Duration.ofNanos(retryNanos));
    }

    @Override
    public Optional<String> refusedBy() {
        return Optional.of(by);
    }

    @Override
    public OptionalInt refusedAt() {
        return member == Members.NONE ? OptionalInt.empty() : OptionalInt.of(member);
    }

    @Override
    public Optional<Throwable> cause() {
        return Optional.ofNullable(failure);
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
