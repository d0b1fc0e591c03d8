package dev.weir.gate;

import dev.weir.RateLimiter;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the elements of one subscription as permits are granted: the state machine behind the operators of every framework.
 * Each subscription has one gate.
 *
 * <h2>Who calls what</h2>
 *
 * <ul>
 *   <li>The source's signals, {@link #offer}, {@link #complete}, {@link #fail}: one at a time, as Reactive Streams requires
 *       (§1.3); signals after the source's end are tolerated.
 *   <li>{@link #start}: once, after downstream has received its subscription. For a fused source {@link #startPulling} comes
 *       before that.
 *   <li>{@link #request} and {@link #cancel}: any thread, at any time once the stream is set up, also reentrantly from within the
 *       signals to {@link GatedStream}.
 * </ul>
 *
 * <p>The calls made by the gate are described at {@link GatedStream}. It calls the cost and key functions and looks up the limiter
 * of a key on the source's thread; it compares keys on the thread that delivers, and calls {@code onDropped} on the one that drops the
 * element.
 *
 * <h2>Threads</h2>
 *
 * <p>An element whose permit is available at once continues on the thread that made it possible: that of the source, or the one
 * that requests. After a wait it continues on the executor given to the constructor, or, without one, on the granting thread
 * itself; a signal that arrives before the executor runs the task takes it along on its own thread. The executor may run a task
 * at once or later, on any thread. If it will never run the task, it must throw {@link RejectedExecutionException} or any other
 * exception, and the stream fails. Tasks carry no elements, so a task that is lost after {@link #cancel} or the end of the stream
 * loses nothing.
 *
 * <h2>Permits</h2>
 *
 * <p>If permits return when leases are closed, as for a limit on concurrency, the lease of an element is closed right after the
 * element has been delivered, that is, when the subscriber has returned.
 *
 * @param <T> the type of the elements
 */
public final class ElementGate<T> {

    private final LimiterPlan<T> plan;
    private final GatedStream<T> stream;
    private final StreamFailure failure;
    private final Losses<T> losses;
    private final StreamSource<T> source;
    private final Intake intake;
    private final StreamDrain<T> drain;

    /**
     * Creates the gate of a subscription.
     *
     * @param plan the configuration
     * @param stream the stream in which the gate stands
     * @param resume the executor on which elements continue after a wait, released when the stream is over if it is a
     *     {@link StreamWorker}; null for the granting thread
     */
    public ElementGate(LimiterPlan<T> plan, GatedStream<T> stream, @Nullable Executor resume) {
        this.plan = plan;
        this.stream = stream;
        this.failure = new StreamFailure(stream);
        this.losses = new Losses<>(stream, failure, plan.options().onDropped().orElse(null));
        this.source = new StreamSource<>(stream, losses, failure);
        this.intake = plan.newIntake(source, failure);
        this.drain = new StreamDrain<>(plan, stream, resume, intake, losses, failure, source);
    }

    /**
     * Starts: requests from the source the elements that are read ahead or buffered. If they are pulled and there are none, the
     * stream completes without demand.
     */
    public void start() {
        if (intake.isPulled()) {
            drain.signal();
        } else if (intake.initially() > 0 && !drain.isCancelled()) {
            drain.requestFirst(intake.initially());
        }
    }

    /**
     * Takes the elements from a queue of the source from now on; only if {@link GatePlan#allowsPulling}. The source sends no
     * signals and receives no requests. Call this before downstream has its subscription.
     *
     * @param queue the queue of the source
     */
    public void startPulling(PulledSource<T> queue) {
        intake.startPulling();
        RateLimiter limiter = plan.limiterOf(LimiterPlan.NO_KEY);
        drain.replaceLanes(new PulledLanes<>(new PulledLane<>(limiter, queue, failure)));
    }

    /**
     * Accepts the next element of the source.
     *
     * @param element the element
     */
    public void offer(T element) {
        if (source.isOpen() && !drain.isOver()) {
            price(element);
        } else {
            source.late(element, drain.isCancelled());
            drain.signal();
        }
    }

    private void price(T element) {
        Object key;
        int cost;
        try {
            key = plan.keyOf(element);
            cost = plan.costOf(element);
        } catch (Throwable thrown) {
            functionFailed(element, thrown);
            return;
        }
        RateLimiter limiter;
        try {
            limiter = plan.limiterOf(key);
        } catch (Throwable thrown) {
            noLimiter(element, thrown);
            return;
        }
        if (!drain.admit(element, cost, key, limiter)) {
            noRoom(element);
        }
    }

    /** Fails the stream because the limiters are closed, or that of a key cannot be had: no framework may go on without it. */
    private void noLimiter(T element, Throwable thrown) {
        throwIfFatal(element, thrown);
        Throwable error = Hook.error(() -> stream.sourceFailed(thrown));
        losses.drop(element);
        cutOff(error);
    }

    private void noRoom(T element) {
        if (drain.isOver() || plan.rejectsWhenFull()) {
            losses.drop(element);
            drain.signal();
        } else {
            Throwable overflow = Hook.error(() -> stream.overflow(element));
            losses.drop(element);
            cutOff(overflow);
        }
    }

    private void functionFailed(T element, Throwable thrown) {
        throwIfFatal(element, thrown);
        Throwable error = Hook.errorIfAny(() -> stream.functionFailed(element, thrown));
        losses.drop(element);
        if (error == null) {
            intake.skipped();
            drain.signal();
        } else {
            cutOff(error);
        }
    }

    /** Throws what the framework considers fatal. The element is lost then, and downstream counts as cancelled. */
    private void throwIfFatal(T element, Throwable thrown) {
        try {
            stream.throwIfFatal(thrown);
        } catch (Throwable fatal) {
            losses.drop(element);
            cancel();
            throw fatal;
        }
    }

    private void cutOff(Throwable error) {
        source.cutOff(error);
        drain.signal();
    }

    /** Signals that the source has completed. */
    public void complete() {
        if (source.isOpen()) {
            source.complete();
            drain.signal();
        }
    }

    /**
     * Signals that the source has failed.
     *
     * @param error the error of the source
     */
    public void fail(Throwable error) {
        if (!source.isOpen() || drain.isOver()) {
            stream.errorDropped(error);
        } else {
            source.fail(error);
            drain.signal();
        }
    }

    /**
     * Signals that downstream requests more elements.
     *
     * @param elements how many, positive
     */
    public void request(long elements) {
        drain.demand.add(elements);
        drain.signal();
    }

    /** Signals that downstream has cancelled. Idempotent. */
    public void cancel() {
        drain.cancel();
    }

    /** {@return the number of elements held; a snapshot for monitoring} */
    public int held() {
        return drain.held();
    }

    /**
     * {@return the number of elements that downstream has requested and not received; a snapshot; {@link Long#MAX_VALUE} if
     * unbounded}
     */
    public long demand() {
        return drain.demand.left();
    }

    /** {@return whether downstream has cancelled} */
    public boolean isCancelled() {
        return drain.isCancelled();
    }

    /** {@return whether the stream is over: completed, failed or cancelled} */
    public boolean isEnded() {
        return drain.isEnded();
    }

    /** {@return the error of the source, which may not have been delivered downstream yet; null if it has not failed} */
    public @Nullable Throwable sourceError() {
        return source.error();
    }
}
