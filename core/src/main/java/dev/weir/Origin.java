package dev.weir;

import dev.weir.limit.DecisionSource;
import org.jspecify.annotations.Nullable;

/**
 * Where the decision about a request was made, and the underlying failure, if any. Absent from a lease if this JVM decided
 * without a failure.
 *
 * @param source where the decision was made
 * @param cause the failure
 */
record Origin(DecisionSource source, @Nullable Throwable cause) {

    private static final Origin REMOTE = new Origin(DecisionSource.REMOTE, null);
    private static final Origin FALLBACK = new Origin(DecisionSource.FALLBACK, null);

    static Origin of(DecisionSource source, @Nullable Throwable cause) {
        if (cause != null || source == DecisionSource.LOCAL) {
            return new Origin(source, cause);
        }
        return source == DecisionSource.REMOTE ? REMOTE : FALLBACK;
    }
}
