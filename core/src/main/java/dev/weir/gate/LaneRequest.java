package dev.weir.gate;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A permit request on behalf of a lane, and the listener for its answer. The lease reaches either the drain or the limiter again,
 * never both and never neither. The drain takes and withdraws; a thread that cancels withdraws, too, at any time:
 *
 * <pre>
 *   ASKING --answer--&gt; lease            the drain is still inside acquire and checks when it returns: no wake-up
 *     |
 *   (acquire returned without an answer)
 *     v
 *   WAITING --answer--&gt; lease           wakes the drain
 *
 *   lease --take--&gt; OVER                the drain has it
 *
 *   any --withdraw--&gt; OVER              a lease found here, or arriving later, is given back; if acquire has returned, the
 *                                       request is cancelled, otherwise when it returns
 * </pre>
 */
final class LaneRequest<T> implements PermitListener.Direct, Runnable {

    private static final Object ASKING = new Object();
    private static final Object WAITING = new Object();
    private static final Object OVER = new Object();

    final Lane<T> lane;

    /** The list of all open requests of the stream, and this one's neighbours there. */
    final OpenRequests<T> open;

    volatile @Nullable LaneRequest<T> older;

    @Nullable
    LaneRequest<T> newer;

    /** The number of permits requested; zero to be notified when any are available. */
    final int permits;

    private final StreamDrain<T> drain;
    private final AtomicReference<Object> state = new AtomicReference<>(ASKING);
    private @Nullable PermitRequest handle;
    private volatile boolean begun;

    LaneRequest(StreamDrain<T> drain, OpenRequests<T> open, Lane<T> lane, int permits) {
        this.drain = drain;
        this.open = open;
        this.lane = lane;
        this.permits = permits;
    }

    @Override
    public void onLease(Lease answer) {
        Lease lease = NoLease.unlessGiven(answer, lane.limiter);
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
     * Stores the handle that acquire returned, and begins to wait unless the request has been answered or withdrawn. Returns
     * whether it waits. Called once, by the drain.
     *
     * @throws NullPointerException if there is neither a handle nor an answer
     */
    boolean beginToWait(@Nullable PermitRequest handle) {
        if (handle == null && state.get() == ASKING) {
            throw NoLease.missing("request", lane.limiter);
        }
        this.handle = handle;
        if (state.compareAndSet(ASKING, WAITING)) {
            return true;
        }
        if (handle != null && state.get() == OVER) {
            letGo(handle::cancel);
        }
        return false;
    }

    boolean isAnswered() {
        return state.get() instanceof Lease;
    }

    /** Takes the lease of an answered request; null if it has been withdrawn, because downstream has cancelled. */
    @Nullable
    Lease take() {
        return state.getAndSet(OVER) instanceof Lease lease ? lease : null;
    }

    /** Withdraws the request and gives back its lease, if any. Any thread, whose next signal then finds what the limiter throws. */
    void withdraw() {
        Object left = state.getAndSet(OVER);
        if (left instanceof Lease lease) {
            letGo(lease::giveBack);
        } else if (left == WAITING && handle != null) {
            letGo(handle::cancel);
        }
    }

    /** Returns permits to the limiter, or tells it that none are wanted. If it fails then, the stream fails. */
    private void letGo(Runnable permits) {
        try {
            permits.run();
        } catch (Throwable thrown) {
            drain.fails(thrown);
        }
    }
}
