package dev.weir.gate;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Lets one call pass by permit: one gate stands in each subscription of an operator that gates subscriptions.
 *
 * <p>{@link #enter} is called once, after downstream has been given its subscription; {@link #cancel} and {@link #end} on
 * any thread, at any time. A permit that is there at once lets the call begin on the thread that enters; after a wait it
 * begins through the executor given to the constructor, or, without one, on the granting thread. If the executor will never
 * run a task it must throw, {@link RejectedExecutionException} or anything else; then the call fails with it.
 *
 * <p>Either the call begins, and then its permit is spent and its lease closed exactly when the call ends or is cancelled; if another
 * thread is still subscribing the source then, which may be where the work is done, when that has returned. Or it never begins, and then
 * the limiter is as if it had never been asked:
 *
 * <pre>
 *   ASKING ----------- acquire returned ----------&gt; WAITING
 *     |                                                |
 *     +---answer (enter goes on)---&gt; lease &lt;---answer (the executor goes on)
 *                                      |
 *                                    begin
 *                                      v
 *                                    Begun
 *
 *   any --cancel, refusal, end--&gt; OVER     a lease found here, or arriving here later, is given back; one that has begun
 *                                          is closed: by who cancels or ends, or by who is still subscribing the source
 * </pre>
 */
public final class CallGate {

    private static final Object ASKING = new Object();
    private static final Object WAITING = new Object();
    private static final Object OVER = new Object();

    private final RateLimiter limiter;
    private final StreamOptions options;
    private final @Nullable Executor resume;
    private final GatedCall call;
    private final AtomicReference<Object> state = new AtomicReference<>(ASKING);
    private volatile @Nullable PermitRequest request;

    /**
     * Makes the gate of a subscription.
     *
     * @param limiter the limiter to ask for one permit
     * @param options of the stream: {@code maxWait} and {@code onRefused} matter
     * @param resume where the call begins after a wait; null for the granting thread
     * @param call what to begin
     */
    public CallGate(RateLimiter limiter, StreamOptions options, @Nullable Executor resume, GatedCall call) {
        this.limiter = limiter;
        this.options = options;
        this.resume = resume;
        this.call = call;
    }

    /** Asks for the permit. Begins the call before it returns, if the permit is there. */
    public void enter() {
        if (state.get() == OVER) {
            return;
        }
        PermitRequest asked;
        try {
            PermitListener.Direct listener = this::answered;
            asked = options.maxWait().isPresent()
                    ? limiter.acquire(1, options.maxWait().get(), listener)
                    : limiter.acquire(1, listener);
        } catch (RuntimeException | Error failed) {
            Object was = state.getAndSet(OVER);
            if (was instanceof Lease lease) { // told before it threw
                letGo(lease::giveBack);
            }
            if (was != OVER) {
                call.refused(failed);
            }
            return;
        }
        request = asked;
        if (!state.compareAndSet(ASKING, WAITING)) {
            if (state.get() == OVER) {
                letGo(asked::cancel);
            } else {
                proceed();
            }
        }
    }

    private void answered(Lease lease) {
        if (state.compareAndSet(ASKING, lease)) {
            return;
        }
        if (!state.compareAndSet(WAITING, lease)) {
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
            if (state.compareAndSet(lease, OVER)) {
                letGo(lease::giveBack);
                call.refused(rejected(Rejection.of(thrown)));
            } else if (!(thrown instanceof RejectedExecutionException)) {
                throw thrown; // from within the call, if the executor has begun it here and now
            }
        }
    }

    private void proceed() {
        if (state.get() instanceof Lease lease) {
            if (!lease.isAcquired()) {
                if (state.compareAndSet(lease, OVER)) {
                    refuse(lease);
                }
                return;
            }
            Begun begun = new Begun(lease);
            if (state.compareAndSet(lease, begun)) {
                begin(begun);
            }
        }
    }

    private void begin(Begun begun) {
        try {
            call.begin();
        } finally {
            if (begun.isLeftBehind()) {
                letGo(begun.lease::close);
            }
        }
    }

    private void refuse(Lease lease) {
        Throwable cause = lease.cause().orElse(null);
        Throwable error = new RateLimitExceededException(lease, limiter.name());
        if (cause instanceof RejectedExecutionException rejection) {
            call.refused(rejected(rejection));
        } else if (options.onRefused() == OnRefused.FAIL || lease.reason().equals(Optional.of(RefusalReason.CLOSED))) {
            call.refused(error);
        } else {
            call.skipped(error);
        }
    }

    /** A hook that throws keeps no call from its end. */
    private Throwable rejected(RejectedExecutionException rejection) {
        try {
            return call.rejected(rejection);
        } catch (Throwable ofHook) {
            return ofHook;
        }
    }

    /**
     * Downstream wants the call no more. Idempotent.
     *
     * @return whether the call has not begun and never will
     */
    public boolean cancel() {
        Object was = state.getAndSet(OVER);
        if (was instanceof Begun begun) {
            if (!begun.isLeftToWhoSubscribes()) {
                letGo(begun.lease::close);
            }
            return false;
        }
        PermitRequest waiting = request;
        if (was instanceof Lease lease) {
            letGo(lease::giveBack);
        } else if (was == WAITING && waiting != null) {
            letGo(waiting::cancel);
        }
        return was != OVER;
    }

    /** The call that had begun is over. To be called before downstream is told, so that who hears of it finds the permit back. */
    public void end() {
        Object was = state.getAndSet(OVER);
        if (was instanceof Begun begun) {
            letGo(begun.lease::close);
        }
    }

    /** A limiter that fails to take back keeps no call from its end. */
    private void letGo(Runnable permit) {
        try {
            permit.run();
        } catch (RuntimeException | Error failed) {
            Hook.call(() -> call.errorDropped(failed));
        }
    }

    /** A call that has begun: its lease, and who subscribes its source. */
    private static final class Begun {

        private final Lease lease;

        /** Null once that has returned, or another thread has cancelled. */
        private final AtomicReference<@Nullable Thread> subscribing = new AtomicReference<>(Thread.currentThread());

        Begun(Lease lease) {
            this.lease = lease;
        }

        /** Asked by who cancels. One who does so from within what he subscribes has got what he wants of it. */
        boolean isLeftToWhoSubscribes() {
            Thread other = subscribing.get();
            return other != null && other != Thread.currentThread() && subscribing.compareAndSet(other, null);
        }

        /** Asked by who has subscribed the source. */
        boolean isLeftBehind() {
            return subscribing.getAndSet(null) == null;
        }
    }
}
