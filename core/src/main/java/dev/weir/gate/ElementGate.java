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
 * <p>An element whose permit is there at once goes on, on the thread that made it possible for it to go: the source's, or
 * the one that requests. After a wait it goes on through the executor given to the constructor, or, without one, on the
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

    /*
     * One drain. Every signal posts a note (an element held, demand raised, a flag) and enters the drain; the notes let one
     * thread in, which goes on until there is none. So signals downstream never overlap, re-entry is flattened, and all
     * state that is said to belong to the drain needs no further protection. Who throws when it is called from inside has
     * cancelled (§2.13): what is held goes, the drain is left in order, and then the thread hears of it.
     *
     * A permit is asked for only with an element in hand and demand for it, and one at a time in each lane. Which element
     * goes is looked up when the permit is there; should it become a cheaper one before, the request is made anew, at its
     * price. Demand can vanish meanwhile only where there are several lanes: then the requests of the others are withdrawn,
     * and permits that are there already go back.
     *
     * Requests hear their answer on other threads. An answer is left in the request and the drain is entered, by way of the
     * executor; whoever ends the gate first withdraws all requests, which gives back what was answered in between. Nothing
     * depends on a task that was handed to an executor. After the end every pass drops what has still arrived: an element
     * offered while another thread ends the gate is seen either by its clean-up or by the pass that follows its own offer.
     *
     * Which of the streams that share a limiter goes first is the limiter's affair; Turns keeps the one that runs first from
     * taking what is left as well.
     *
     * Shortcut: an element that arrives when nobody is inside, nothing is ahead of it, and both demand and a permit are
     * there is passed on without ever being held, and nothing is allocated.
     */

    private final GatePlan<T> plan;
    private final StreamEnds<T> ends;
    private final @Nullable Executor resume;
    private final Runnable drainTask = this::resumed;
    private final Turns turns;
    private final Notes notes = new Notes();
    private final Demand demand = new Demand();
    private final Losses<T> losses;
    private final SourceEnd<T> source;
    private final Exit<T> exit;
    private final Intake intake;
    private final Turnstile<T> turnstile;
    private Lanes<T> lanes;

    private volatile boolean cancelled;

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
        this.resume = resume;
        this.losses = new Losses<>(ends, plan.options().onDropped().orElse(null));
        this.source = new SourceEnd<>(ends, losses);
        this.exit = new Exit<>(ends, source, losses);
        this.intake = plan.newIntake();
        this.turns = new Turns(resume, drainTask);
        this.turnstile = new Turnstile<>(this, plan, ends, notes, demand, intake, losses, source, turns);
        this.lanes = plan.newLanes(losses);
    }

    /** Begins: asks the source for what is read ahead or buffered. */
    public void start() {
        long elements = intake.initially();
        if (elements > 0 && !cancelled) {
            ends.requestFromSource(elements);
        }
    }

    /**
     * Takes the elements from a queue of the source from now on, where {@link GatePlan#allowsPulling} says so. A source that
     * is not at its end when the queue is empty tells by {@link #pull} that there is something, is asked for more as ever,
     * and ends by {@link #complete} or {@link #fail}.
     *
     * @param queue of the source
     * @param endsWhenEmpty whether the source is at its end when the queue is empty; then it neither signals nor is asked,
     *     and {@link #start} is not to be called
     */
    public void startPulling(PulledSource<T> queue, boolean endsWhenEmpty) {
        if (endsWhenEmpty) {
            intake.close();
        }
        lanes = new PulledLanes<>(new PulledLane<>(plan.onlyLimiter(), queue, endsWhenEmpty, losses));
    }

    /** There is something in the queue of the fused source, or, before the first request, nothing may be. */
    public void pull() {
        drain();
    }

    /**
     * Takes the next element of the source.
     *
     * @param element of the source
     */
    public void offer(T element) {
        if (!source.isOpen()) {
            source.late(element, cancelled);
            drain();
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
        if (notes.beginIfIdle()) {
            try {
                if (!passAtOnce(element, cost, key, limiter)) {
                    hold(element, cost, key, limiter);
                    step();
                }
            } catch (Throwable thrown) {
                giveUp();
                throw thrown;
            }
            if (!turnstile.endPass(lanes)) {
                goOn();
            }
        } else {
            hold(element, cost, key, limiter);
            drain();
        }
    }

    private boolean passAtOnce(T element, int cost, @Nullable Object key, RateLimiter limiter) {
        boolean goesOn = !exit.isTaken() && !cancelled && losses.failure() == null;
        if (goesOn && demand.isThere() && lanes.isFree(key) && turnstile.consumeIfItCan(limiter, cost)) {
            turnstile.pass(element);
            turnstile.refill(lanes);
            return true;
        }
        return false;
    }

    private void hold(T element, int cost, @Nullable Object key, RateLimiter limiter) {
        if (lanes.hold(element, cost, key, limiter)) {
            return;
        }
        if (exit.isTaken() || cancelled || plan.rejectsWhenFull()) {
            losses.drop(element);
        } else {
            Throwable overflow = ends.overflow(element);
            losses.drop(element);
            cutOff(overflow);
        }
    }

    private void functionFailed(T element, Throwable thrown) {
        Throwable error = ends.functionFailed(element, thrown);
        losses.drop(element);
        if (error == null) {
            intake.skipped();
            drain();
        } else {
            cutOff(error);
        }
    }

    private void cutOff(Throwable error) {
        source.cutOff(error);
        drain();
    }

    /** The source has sent its last element. */
    public void complete() {
        if (source.isOpen()) {
            source.complete();
            drain();
        }
    }

    /**
     * The source has failed.
     *
     * @param error why
     */
    public void fail(Throwable error) {
        if (!source.isOpen() || exit.isTaken() || cancelled) {
            ends.errorDropped(error);
        } else {
            source.fail(error);
            drain();
        }
    }

    /**
     * Downstream asks for more.
     *
     * @param elements how many, positive
     */
    public void request(long elements) {
        demand.add(elements);
        drain();
    }

    /** Downstream wants nothing any more. Idempotent. */
    public void cancel() {
        if (!cancelled && !exit.isTaken()) {
            cancelled = true;
            if (!lanes.isPulled()) {
                source.cancel();
            }
            drain();
        }
    }

    /** A request that waited has its answer. Any thread. */
    void answered(Ask<T> ask) {
        lanes.answered(ask);
        if (resume == null) {
            drain();
            return;
        }
        RejectedExecutionException rejection = ask.handOver(resume);
        if (rejection != null) {
            if (!exit.isTaken() && !cancelled) {
                losses.reject(rejection);
            }
            drain();
        }
    }

    /** The executor has got to this stream. */
    void resumed() {
        turns.begin();
        drain();
    }

    /** Something has gone wrong inside the drain, which fails the stream. */
    void fails(Throwable error) {
        losses.fail(error);
        drain();
    }

    private void drain() {
        if (notes.post()) {
            goOn();
        }
    }

    private void goOn() {
        try {
            do {
                step();
            } while (!turnstile.endPass(lanes));
        } catch (Throwable thrown) {
            giveUp();
            throw thrown;
        }
    }

    private void giveUp() {
        cancelled = true;
        exit.cleanUp(lanes);
        if (!turnstile.endPass(lanes)) {
            goOn();
        }
    }

    /** Does all that can be done now. */
    private void step() {
        do {
            if (exit.isTaken() || cancelled) {
                exit.cleanUp(lanes);
                return;
            }
            boolean last = source.isDone();
            Throwable error = losses.failure();
            if (error == null && last && plan.options().isErrorsCutAhead()) {
                error = source.error();
            }
            if (error != null) {
                exit.end(lanes, error);
                return;
            }
            lanes.absorb(demand.isThere());
            if ((last || lanes.isExhausted()) && lanes.isEmpty()) {
                exit.end(lanes, source.error());
                return;
            }
        } while (demand.isThere() && !notes.areMany() && turnstile.serveNext(lanes));
        if (!demand.isThere()) {
            lanes.withdraw();
        }
        turnstile.refill(lanes);
    }

    /** {@return how many elements are held, a moment ago; for those who watch} */
    public int held() {
        return lanes.size();
    }

    /** {@return how many elements downstream has asked for and not received, a moment ago; {@link Long#MAX_VALUE} for all} */
    public long demand() {
        return demand.left();
    }

    /** {@return whether downstream has cancelled} */
    public boolean isCancelled() {
        return cancelled;
    }

    /** {@return whether the stream is over: completed, failed or cancelled} */
    public boolean isEnded() {
        return exit.isTaken();
    }

    /** {@return the error of the source, which downstream may still have to hear; null if it has not failed} */
    public @Nullable Throwable sourceError() {
        return source.error();
    }
}
