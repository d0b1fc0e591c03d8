package dev.weir.redis;

import dev.weir.limit.WaitingRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Requests that wait one behind the other. */
record Queued(int permits, @Nullable WaitingRequest next) implements WaitingRequest {

    /** Returns the first of requests for so many permits each. */
    static Queued of(int... permits) {
        Queued first = null;
        for (int i = permits.length - 1; i >= 0; i--) {
            first = new Queued(permits[i], first);
        }
        return Objects.requireNonNull(first, "no requests");
    }
}
