package dev.weir.gate;

import dev.weir.RateLimiter;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Lets the elements of one subscription pass by permit: one gate stands in each subscription of an operator, in every
 * framework.
 *
 * <h2>Who calls what</h2>
 *
 * <ul>
 *   <li>The source's signals, {@link #offer}, {@link #complete}, {@link #fail}: one at a time, as Reactive Streams has it
 *       (§1.3); what a source sends beyond its end is dealt with.
 *   <li>{@link #start}: once, after downstream has been given its subscription. For a fused source {@link #startPulling}
 *       comes before that.
 *   <li>{@link #request} and {@link #cancel}: any thread, at any time after the ends are in place, also from within the
 *       signals to {@link StreamEnds}.
 * </ul>
 *
 * <p>What the gate calls is described at {@link StreamEnds}. It calls the cost and key functions and the limiter's lookup
 * by key on the source's thread, and {@code onDropped} on whatever thread drops.
 *
 * <h2>Threads</h2>
 *
 * <p>An element whose permit is available at once continues on the thread that made it possible: the source's, or the
 * one that requests. After a wait it continues through the executor given to the constructor, or, without one, on the
 * granting thread itself. The executor may run a task at once or later, on any thread; if it will never run it, it must
 * throw, {@link RejectedExecutionException} or anything else, and the stream fails. Tasks carry no elements, so one that is
 * lost after {@link #cancel} or the end of the stream loses nothing.
 *
 * <h2>Permits</h2>
 *
 * <p>Where permits return by closing leases, as for a limit of concurrency, the lease of an element is closed right after
 * the element has been passed on, that is, when the subscriber has returned.
 *
 * @param <T> the elements
 */
public final class ElementGate<T> {

    private final GatePlan<T> plan;
    private final StreamEnds<T> ends;
    private final Losses<T> losses;
    private final SourceEnd<T> source;
    private final Intake intake;
    private final StreamDrain<T> drain;

    /**
     * Makes the gate of a subscription.
     *
     * @param plan what to do
     * @param ends the two ends of the stream
     * @param resume where elements go on after a wait; null for the granting thread
     */
    public ElementGate(GatePlan<T> plan, StreamEnds<T> ends, @Nullable Executor resume) {
        this.plan = plan;
        this.ends = ends;
        this.losses = new Losses<>(ends, plan.options().onDropped().orElse(null));
        this.source = new SourceEnd<>(ends, losses);
        this.intake = plan.newIntake();
        this.drain = new StreamDrain<>(plan, ends, resume, intake, losses, source);
    }

    /** Begins: asks the source for what is read ahead or buffered. */
    public void start() {
        long elements = intake.initially();
        if (elements > 0 && !drain.isCancelled()) {
            ends.requestFromSource(elements);
        }
    }

    /**
     * Takes the elements from a queue of the source from now on, where {@link GatePlan#allowsPulling} says so. The source
     * neither signals nor is asked; once downstream has its subscription, {@link #pull} takes the place of {@link #start}.
     *
     * @param queue of the source
     */
    public void startPulling(PulledSource<T> queue) {
        intake.close();
        drain.serve(new PulledLanes<>(new PulledLane<>(plan.onlyLimiter(), queue, losses)));
    }

    /** Begins with a fused source, which may be empty, and then ends without having been asked. */
    public void pull() {
        drain.signal();
    }

    /**
     * Takes the next element of the source.
     *
     * @param element of the source
     */
    public void offer(T element) {
        if (!source.isOpen()) {
            source.late(element, drain.isCancelled());
            drain.signal();
        } else if (plan.isPlain()) {
            offer(element, 1, null, plan.onlyLimiter());
        } else {
            price(element);
        }
    }

    private void price(T element) {
        Object key;
        RateLimiter limiter;
        int cost;
        try {
            key = plan.keyOf(element);
            limiter = plan.limiterOf(key);
            cost = plan.costOf(element, limiter);
        } catch (Throwable thrown) {
            functionFailed(element, thrown);
            return;
        }
        offer(element, cost, key, limiter);
    }

    private void offer(T element, int cost, @Nullable Object key, RateLimiter limiter) {
        if (!drain.admit(element, cost, key, limiter)) {
            noRoom(element);
        }
    }

    private void noRoom(T element) {
        if (drain.isOver() || plan.rejectsWhenFull()) {
            losses.drop(element);
            drain.signal();
        } else {
            Throwable overflow = overflow(element);
            losses.drop(element);
            cutOff(overflow);
        }
    }

    private void functionFailed(T element, Throwable thrown) {
        Throwable error = errorOf(element, thrown);
        losses.drop(element);
        if (error == null) {
            intake.skipped();
            drain.signal();
        } else {
            cutOff(error);
        }
    }

    // A hook that throws keeps no stream from its end, nor an element from being dropped

    private Throwable overflow(T element) {
        try {
            return ends.overflow(element);
        } catch (Throwable ofHook) {
            return ofHook;
        }
    }

    /** What the framework takes for fatal it throws on; then downstream has cancelled. */
    private @Nullable Throwable errorOf(T element, Throwable thrown) {
        try {
            return ends.functionFailed(element, thrown);
        } catch (Throwable ofHook) {
            if (ofHook == thrown) {
                losses.drop(element);
                cancel();
                throw ofHook;
            }
            return ofHook;
        }
    }

    private void cutOff(Throwable error) {
        source.cutOff(error);
        drain.signal();
    }

    /** The source has sent its last element. */
    public void complete() {
        if (source.isOpen()) {
            source.complete();
            drain.signal();
        }
    }

    /**
     * The source has failed.
     *
     * @param error why
     */
    public void fail(Throwable error) {
        if (!source.isOpen() || drain.isOver()) {
            ends.errorDropped(error);
        } else {
            source.fail(error);
            drain.signal();
        }
    }

    /**
     * Downstream asks for more.
     *
     * @param elements how many, positive
     */
    public void request(long elements) {
        drain.demand.add(elements);
        drain.signal();
    }

    /** Downstream wants nothing any more. Idempotent. */
    public void cancel() {
        drain.cancel();
    }

    /** {@return how many elements are held, a moment ago; for those who watch} */
    public int held() {
        return drain.held();
    }

    /** {@return how many elements downstream has asked for and not received, a moment ago; {@link Long#MAX_VALUE} for all} */
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

    /** {@return the error of the source, which downstream may still have to hear; null if it has not failed} */
    public @Nullable Throwable sourceError() {
        return source.error();
    }
}
