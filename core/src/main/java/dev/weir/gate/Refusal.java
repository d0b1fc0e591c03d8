package dev.weir.gate;

import dev.weir.Lease;
import dev.weir.RefusalReason;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Finds in a refused lease the two reasons for which a stream fails whatever its options choose: a timer or executor that takes no
 * more tasks, and a closed limiter.
 */
final class Refusal {

    private Refusal() {}

    /** Returns the rejection by a timer or executor that caused the refusal; null if it has no such cause. */
    static @Nullable RejectedExecutionException rejection(Lease lease) {
        return lease.cause().orElse(null) instanceof RejectedExecutionException rejection ? rejection : null;
    }

    /** Whether the limiter is closed, and so will grant nothing any more. */
    static boolean isByClosing(Lease lease) {
        return lease.reason().orElse(null) == RefusalReason.CLOSED;
    }
}
