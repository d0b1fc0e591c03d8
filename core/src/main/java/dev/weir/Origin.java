package dev.weir;

import dev.weir.limit.DecisionSource;
import org.jspecify.annotations.Nullable;

/**
 * Who decided about a request, and what went wrong underneath. Absent from a lease where this JVM decided and nothing did.
 *
 * @param source who decided
 * @param cause what went wrong
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
