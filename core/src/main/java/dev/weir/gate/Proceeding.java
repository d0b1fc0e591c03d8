package dev.weir.gate;

import dev.weir.Lease;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A call that begins or is refused: its lease, and the thread that sees to that. That thread creates it.
 *
 * <pre>
 *   thread --the {@link CallGate} returned--&gt; null
 *     |                                          ^
 *     +--another thread cancels or ends--&gt; Left -+
 * </pre>
 */
final class Proceeding {

    /** What another thread leaves to the one that subscribes the source, to be done when that has returned. */
    enum Left {
        /** The call was cancelled: the lease is still to be closed. */
        LEASE,
        /** The call has ended: the worker is still to be released. */
        WORKER
    }

    final Lease lease;

    /**
     * The thread that subscribes the source or signals the refusal; what another thread has left to it; null once it has
     * returned.
     */
    private final AtomicReference<@Nullable Object> busy = new AtomicReference<>(Thread.currentThread());

    Proceeding(Lease lease) {
        this.lease = lease;
    }

    /** Leaves what is to be done to that thread, unless it is this one or has returned. Returns whether it is left. */
    boolean leave(Left what) {
        Object now = busy.get();
        return now == what
                || (now instanceof Thread other && other != Thread.currentThread() && busy.compareAndSet(other, what));
    }

    /** Called by that thread when it has returned. Returns what was left to it. */
    @Nullable
    Left returned() {
        return busy.getAndSet(null) instanceof Left left ? left : null;
    }
}
