package dev.weir;

import dev.weir.limit.DecisionSource;
import org.jspecify.annotations.Nullable;

/**
 * Why a chain refused.
 *
 * @param reason the reason of the refusal
 * @param by the name of the limiter that refused
 * @param member the index of the member that refused, or {@link ChainLease#ITSELF}
 * @param cause the underlying failure
 * @param retryNanos nanoseconds until a retry would succeed, {@link PermitEngine#UNBOUNDED} if unknown
 * @param source where the decision was made
 */
record ChainRefusal(
        RefusalReason reason,
        String by,
        int member,
        @Nullable Throwable cause,
        long retryNanos,
        DecisionSource source) {

    /** By a member that can never grant the request, or for which time does not tell when. */
    static ChainRefusal exhausted(String by, int member) {
        return new ChainRefusal(
                RefusalReason.EXHAUSTED, by, member, null, PermitEngine.UNBOUNDED, DecisionSource.LOCAL);
    }

    /** By a limiter that failed. */
    static ChainRefusal broken(String by, Throwable cause) {
        return new ChainRefusal(
                RefusalReason.BACKEND_UNAVAILABLE,
                by,
                ChainLease.ITSELF,
                cause,
                PermitEngine.UNBOUNDED,
                DecisionSource.LOCAL);
    }

    /** By a member that has been closed. */
    static ChainRefusal closed(String by, int member) {
        return new ChainRefusal(RefusalReason.CLOSED, by, member, null, PermitEngine.UNBOUNDED, DecisionSource.LOCAL);
    }
}
