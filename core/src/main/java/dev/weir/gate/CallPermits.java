package dev.weir.gate;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.handle.Handles;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one gated call: asks for them, begins the call when they are granted, and returns them when it is over.
 *
 * <p>If the permits are available at once, the call begins on the thread that enters; after a wait it begins on the executor given to
 * the constructor, or, without one, on the granting thread. If the executor will never run a task, it must throw
 * {@link RejectedExecutionException} or any other exception; then the call fails with it.
 *
 * <p>If the call begins, its permits are spent, and its lease is closed exactly when the call ends or is cancelled; if it is
 * cancelled while another thread is still subscribing the source, which may be where the work is done, the lease is closed when
 * that thread has returned. Disposing the worker interrupts the subscribing thread, as a cancelled call needs; if the call ends,
 * disposing is left to that thread too, and likewise to the one that tells downstream of a refusal. If the call never begins, the
 * limiter is as if it had never been asked:
 *
 * <pre>
 *   ASKING ----------- acquire returned ----------&gt; WAITING
 *     |                                                |
 *     +---answer (enter goes on)---&gt; lease &lt;---answer (the executor goes on)
 *                                      |
 *                                    begin
 *                                      v
 *                                  Proceeding
 *
 *   any --cancel, refusal, end--&gt; OVER     a lease found here, or arriving later, is given back; that of a call that has
 *                                          begun is closed, by the thread that cancels, ends or still subscribes
 * </pre>
 */
final class CallPermits {

    private static final Object ASKING = new Object();
    private static final Object WAITING = new Object();
    private static final Object OVER = new Object();

    private static final VarHandle STATE =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(CallPermits.class, "state", Object.class));

    private final RateLimiter limiter;
    private final int permits;
    private final StreamOptions options;
    private final @Nullable Executor resume;
    private final CallGate<?, ?> gate;
    private volatile Object state = ASKING;
    private volatile @Nullable PermitRequest request;
    private volatile @Nullable Proceeding proceeding;

    /**
     * Creates the permits of a call.
     *
     * @param permits how many to ask for; the call is refused if the limiter says that it can never grant them
     * @param options the options of the stream, of which {@code maxWait} and {@code onRefused} have an effect
     * @param resume the executor on which the call begins after a wait, released when the call is over if it is a
     *     {@link StreamWorker}; null for the granting thread
     */
    CallPermits(
            RateLimiter limiter, int permits, StreamOptions options, @Nullable Executor resume, CallGate<?, ?> gate) {
        this.limiter = limiter;
        this.permits = permits;
        this.options = options;
        this.resume = resume;
        this.gate = gate;
    }

    /** Asks for the permits. Begins the call before it returns if they are available at once. */
    void enter() {
        if (state == OVER) {
            return;
        }
        PermitRequest asked;
        try {
            PermitListener.Direct listener = this::answered;
            asked = options.maxWait().isPresent()
                    ? limiter.acquire(permits, options.maxWait().get(), listener)
                    : limiter.acquire(permits, listener);
            if (asked == null && state == ASKING) {
                throw NoLease.missing("request", limiter);
            }
        } catch (Throwable failed) {
            Object was = STATE.getAndSet(this, OVER);
            if (was instanceof Lease lease) { // the limiter answered before it threw
                letGo(lease::giveBack);
            }
            if (was != OVER) {
                gate.refused(failed);
            }
            return;
        }
        request = asked;
        if (!STATE.compareAndSet(this, ASKING, WAITING)) {
            if (state != OVER) {
                proceed();
            } else if (asked != null) {
                letGo(asked::cancel);
            }
        }
    }

    private void answered(Lease answer) {
        Lease lease = NoLease.unlessGiven(answer, limiter);
        if (STATE.compareAndSet(this, ASKING, lease)) {
            return;
        }
        if (!STATE.compareAndSet(this, WAITING, lease)) {
            letGo(lease::giveBack);
        } else if (resume == null) {
            proceed();
        } else {
            handOver(lease, resume);
        }
    }

    private void handOver(Lease lease, Executor resume) {
        try {
            resume.execute(this::proceed);
        } catch (Throwable thrown) {
            if (STATE.compareAndSet(this, lease, OVER)) {
                letGo(lease::giveBack);
                gate.rejected(Rejection.of(thrown));
            } else if (proceeding != null || !(thrown instanceof RejectedExecutionException)) {
                throw thrown; // thrown by the call itself, which the executor has run on this thread
            }
        }
    }

    private void proceed() {
        if (state instanceof Lease lease) {
            proceed(new Proceeding(lease));
        }
    }

    private void proceed(Proceeding proceeding) {
        Lease lease = proceeding.lease;
        this.proceeding = proceeding; // before the step, so that it is found by whoever cancels after that
        try {
            Runnable refusal = refusal(lease);
            if (refusal != null) {
                if (STATE.compareAndSet(this, lease, OVER)) {
                    refusal.run();
                }
            } else if (STATE.compareAndSet(this, lease, proceeding)) {
                gate.begin(lease);
            }
        } finally {
            Proceeding.Left left = proceeding.returned();
            if (left == Proceeding.Left.LEASE) {
                uninterrupted(() -> letGo(lease::close));
            } else if (left == Proceeding.Left.WORKER) {
                StreamWorker.release(resume);
            }
        }
    }

    /** Returns what ends the call if it may not begin; null if it may. A lease that cannot be read may be a grant, and goes back. */
    private @Nullable Runnable refusal(Lease lease) {
        try {
            return lease.isAcquired() ? null : refusalOf(lease);
        } catch (Throwable failed) {
            return () -> {
                letGo(lease::giveBack);
                gate.refused(failed);
            };
        }
    }

    private Runnable refusalOf(Lease lease) {
        RejectedExecutionException rejection = Refusal.rejection(lease);
        if (rejection != null) {
            return () -> gate.rejected(rejection);
        }
        Throwable error = new RateLimitExceededException(lease, limiter.name());
        boolean fails = options.onRefused() == OnRefused.FAIL || Refusal.isByClosing(lease);
        return fails ? () -> gate.refused(error) : () -> gate.skipped(error);
    }

    /** Downstream has cancelled. Idempotent. After the end of the call it still releases the worker. */
    void giveUp() {
        Object was = STATE.getAndSet(this, OVER);
        if (was == OVER) {
            releaseWorker();
            return;
        }
        try {
            StreamWorker.release(resume); // first, or the interrupt could meet whoever is given the permit there
        } finally {
            giveUp(was);
        }
    }

    private void giveUp(Object was) {
        PermitRequest waiting = request;
        if (was instanceof Proceeding begun) {
            if (!begun.leave(Proceeding.Left.LEASE)) {
                letGo(begun.lease::close);
            }
        } else if (was instanceof Lease lease) {
            letGo(lease::giveBack);
        } else if (was == WAITING && waiting != null) {
            letGo(waiting::cancel);
        }
    }

    /** Returns the permits of a call that is about to end. {@link #releaseWorker} follows when downstream knows. */
    void end() {
        Object was = STATE.getAndSet(this, OVER);
        if (was instanceof Proceeding begun) {
            letGo(begun.lease::close);
        }
    }

    /** Releases the worker, as downstream knows of the end; or leaves that to the thread that is at it. */
    void releaseWorker() {
        Proceeding known = proceeding;
        if (known == null || !known.leave(Proceeding.Left.WORKER)) {
            StreamWorker.release(resume);
        }
    }

    /** An interrupt on this thread is for the call that was cancelled, not for others, who may be given its permit here. */
    private static void uninterrupted(Runnable task) {
        boolean isInterrupted = Thread.interrupted();
        try {
            task.run();
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt(); // it may be a thread of the caller
            }
        }
    }

    /** Returns a permit to the limiter. A limiter that fails then must not prevent the call from ending. */
    private void letGo(Runnable permit) {
        try {
            permit.run();
        } catch (Throwable failed) {
            Hook.call(() -> gate.errorDropped(failed));
        }
    }
}
