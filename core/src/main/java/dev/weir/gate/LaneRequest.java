package dev.weir.gate;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A permit request on behalf of a lane, and the listener for its answer. The lease reaches either the drain or the limiter again,
 * never both and never neither:
 *
 * <pre>
 *   ASKING --answer--&gt; lease            the drain is still inside acquire and checks when it returns: no wake-up
 *     |
 *   (acquire returned without an answer)
 *     v
 *   WAITING --answer--&gt; lease           wakes the drain
 *
 *   any --withdraw--&gt; WITHDRAWN         a lease found here, or arriving later, is given back
 * </pre>
 */
final class LaneRequest<T> implements PermitListener.Direct, Runnable {

    private static final Object ASKING = new Object();
    private static final Object WAITING = new Object();
    private static final Object WITHDRAWN = new Object();

    final Lane<T> lane;

    /** The number of permits requested; zero to be notified when any are available. */
    final int permits;

    private final StreamDrain<T> drain;
    private final AtomicReference<Object> state = new AtomicReference<>(ASKING);
    private @Nullable PermitRequest handle;
    private volatile boolean begun;

    LaneRequest(StreamDrain<T> drain, Lane<T> lane, int permits) {
        this.drain = drain;
        this.lane = lane;
        this.permits = permits;
    }

    @Override
    public void onLease(Lease lease) {
        if (state.compareAndSet(ASKING, lease)) {
            return;
        }
        if (state.compareAndSet(WAITING, lease)) {
            drain.answered(this);
        } else {
            lease.giveBack();
        }
    }

    /** Run by the executor, on which the stream continues after a wait. A turn that the stream stands in line for stays its next. */
    @Override
    public void run() {
        begun = true;
        drain.signal();
    }

    /** Schedules the stream's next pass on an executor. Returns the rejection if the executor will not run it, null if it will. */
    @Nullable
    RejectedExecutionException handOver(Executor executor) {
        try {
            executor.execute(this);
            return null;
        } catch (Throwable thrown) {
            if (begun) {
                throw thrown; // thrown by the stream itself, which the executor has run on this thread
            }
            return Rejection.of(thrown);
        }
    }

    /**
     * Stores the handle that acquire returned. Returns whether the request has been answered already. Called once, by the drain.
     */
    boolean answeredAtOnce(PermitRequest handle) {
        this.handle = handle;
        return !state.compareAndSet(ASKING, WAITING);
    }

    boolean isAnswered() {
        return state.get() instanceof Lease;
    }

    /** Returns the lease of an answered request. */
    Lease lease() {
        return (Lease) Objects.requireNonNull(state.get());
    }

    /** Withdraws the request and gives back its lease, if any. A limiter that fails then fails the stream. */
    void withdraw() {
        Object left = state.getAndSet(WITHDRAWN);
        try {
            if (left instanceof Lease lease) {
                lease.giveBack();
            } else if (handle != null) {
                handle.cancel();
            }
        } catch (RuntimeException | Error thrown) {
            drain.fails(thrown);
        }
    }
}
