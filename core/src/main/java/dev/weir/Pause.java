package dev.weir;

import dev.weir.limit.PermitPolicy;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A pause: a time before which no permits are granted. */
final class Pause {

    private final AtomicReference<@Nullable Until> until = new AtomicReference<>();

    private record Until(long nanos) {}

    /** Extends the pause until {@code untilNanos}, unless it lasts longer already. */
    void extendTo(long untilNanos) {
        Until extended = new Until(untilNanos);
        Until current = until.get();
        while ((current == null || current.nanos - untilNanos < 0) && !until.compareAndSet(current, extended)) {
            current = until.get();
        }
    }

    /** Returns how long the pause still lasts; zero if there is none. */
    long nanosLeft(long nowNanos) {
        Until current = until.get();
        if (current == null) {
            return 0;
        }
        long left = current.nanos - nowNanos;
        if (left > 0) {
            return left;
        }
        until.compareAndSet(current, null); // over: cleared before the clock wraps, or it would seem to start again
        return 0;
    }

    boolean isOn(long nowNanos) {
        return nanosLeft(nowNanos) > 0;
    }

    /** Returns why a request is refused that would have to wait, but may not, if a pause still lasts so long. */
    static RefusalReason pausedOrExhausted(long leftNanos) {
        return leftNanos > 0 ? RefusalReason.PAUSED : RefusalReason.EXHAUSTED;
    }

    /** Returns how long it lasts from a time that may be in the future. */
    long nanosLeftAt(long nanos) {
        Until current = until.get();
        return current == null ? 0 : Math.max(0, current.nanos - nanos);
    }

    /** Returns the total wait if a wait begins when the pause has ended, without overflow. */
    static long andThen(long pausedNanos, long waitNanos) {
        return waitNanos < PermitPolicy.AWAIT_SIGNAL - pausedNanos
                ? pausedNanos + waitNanos
                : PermitPolicy.AWAIT_SIGNAL;
    }
}
