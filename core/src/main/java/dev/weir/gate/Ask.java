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
 * One request for permits on behalf of a lane. Its answer reaches either the drain or the limiter again, never both and
 * never neither:
 *
 * <pre>
 *   ASKING --answer--&gt; lease            the drain is still inside acquire and looks when it returns: no wake-up
 *     |
 *   (acquire returned without an answer)
 *     v
 *   WAITING --answer--&gt; lease           wakes the drain
 *
 *   any --withdraw--&gt; WITHDRAWN         a lease found here, or arriving here later, is given back
 * </pre>
 */
final class Ask<T> implements PermitListener.Direct, Runnable {

    private static final Object ASKING = new Object();
    private static final Object WAITING = new Object();
    private static final Object WITHDRAWN = new Object();

    final Lane<T> lane;

    /** How many permits are asked for; zero to be told when there are any. */
    final int permits;

    private final StreamDrain<T> drain;
    private final AtomicReference<Object> state = new AtomicReference<>(ASKING);
    private @Nullable PermitRequest request;
    private volatile boolean begun;

    Ask(StreamDrain<T> drain, Lane<T> lane, int permits) {
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

    /** What the answer lets happen, where the stream goes on after a wait. */
    @Override
    public void run() {
        begun = true;
        drain.resumed();
    }

    /** Has the stream go on through an executor; answers why it will not, null if it will. */
    @Nullable
    RejectedExecutionException handOver(Executor executor) {
        try {
            executor.execute(this);
            return null;
        } catch (Throwable thrown) {
            if (begun) {
                throw thrown; // from within the stream: the executor has run this here and now
            }
            return Rejection.of(thrown);
        }
    }

    /** Takes the handle that acquire returned, and answers whether the answer is there already. Called by the asker, once. */
    boolean answeredAtOnce(PermitRequest request) {
        this.request = request;
        return !state.compareAndSet(ASKING, WAITING);
    }

    boolean isAnswered() {
        return state.get() instanceof Lease;
    }

    /** Answers the lease of an answered request. */
    Lease lease() {
        return (Lease) Objects.requireNonNull(state.get());
    }

    /** A limiter that fails to let go fails the stream. */
    void withdraw() {
        Object left = state.getAndSet(WITHDRAWN);
        try {
            if (left instanceof Lease lease) {
                lease.giveBack();
            } else if (request != null) {
                request.cancel();
            }
        } catch (RuntimeException | Error thrown) {
            drain.fails(thrown);
        }
    }
}
