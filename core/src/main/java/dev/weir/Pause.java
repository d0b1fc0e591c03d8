package dev.weir;

import dev.weir.limit.PermitPolicy;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A time before which nobody passes. */
final class Pause {

    private final AtomicReference<@Nullable Until> until = new AtomicReference<>();

    private record Until(long nanos) {}

    /** Pauses until then, or longer if it is paused for longer already. */
    void extendTo(long untilNanos) {
        Until extended = new Until(untilNanos);
        Until current = until.get();
        while ((current == null || current.nanos - untilNanos < 0) && !until.compareAndSet(current, extended)) {
            current = until.get();
        }
    }

    /** Returns how long the pause goes on; zero if there is none. */
    long nanosLeft(long nowNanos) {
        Until current = until.get();
        if (current == null) {
            return 0;
        }
        long left = current.nanos - nowNanos;
        if (left > 0) {
            return left;
        }
        until.compareAndSet(current, null); // over: before the clock wraps and it seems to begin again
        return 0;
    }

    /** Returns how long it goes on from a time that may be still to come. */
    long nanosLeftAt(long nanos) {
        Until current = until.get();
        return current == null ? 0 : Math.max(0, current.nanos - nanos);
    }

    /** Returns how long a wait takes that begins when so much of a pause is over. */
    static long andThen(long pausedNanos, long waitNanos) {
        return waitNanos < PermitPolicy.AWAIT_SIGNAL - pausedNanos
                ? pausedNanos + waitNanos
                : PermitPolicy.AWAIT_SIGNAL;
    }
}
