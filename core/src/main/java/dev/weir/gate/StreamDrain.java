package dev.weir.gate;

import dev.weir.RateLimiter;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** The drain of one subscription: after every signal, one thread at a time enters it and does all that can be done now. */
final class StreamDrain<T> {

    /*
     * One drain. Every signal posts a note (an element held, demand raised, a flag) and enters the drain; their count lets one
     * thread in, which continues until there are no more notes. So signals downstream never overlap, reentrant calls are
     * flattened, and all state that belongs to the drain needs no further synchronization. If downstream throws when called from
     * inside the drain, that counts as a cancellation (§2.13): held elements are dropped, the drain is left in a consistent
     * state, and then the exception is rethrown.
     *
     * A permit is requested only with an element in hand and demand for it, and one request at a time in each lane. Which element
     * goes is decided when the permit is granted. If an element of another cost becomes the next to go before that, the request
     * is made again at its cost. Demand can vanish in the meantime only if there are several lanes: then the requests of the
     * other lanes are withdrawn, and permits already granted are given back.
     *
     * Requests are answered on other threads. The answer is stored in the request, and the drain is entered by way of the
     * executor. When the gate ends, all requests are withdrawn first, which gives back what was granted in between. Whoever
     * cancels withdraws them before the drain does: that may be busy with foreign code for long, while others wait for the room
     * and the permits. Nothing depends on a task that was handed to an executor. After the end every pass drops elements that have
     * still arrived: an element offered while another thread ends the gate is seen either by the clean-up of that thread or by the
     * pass that follows its own offer.
     *
     * The limiter decides which of the streams that share it goes first; Turns keeps the stream that runs first from taking all
     * remaining permits as well.
     *
     * Fast path: an element that arrives when no thread is inside the drain, nothing is ahead of it, and both demand and a permit
     * are available is delivered without being held, and without allocation.
     */

    final Demand demand = new Demand();
    final WorkInProgress wip = new WorkInProgress();

    private final boolean errorsCutAhead;
    private final @Nullable Executor resume;
    private final StreamFailure failure;
    private final Losses<T> losses;
    private final StreamSource<T> source;
    private final Termination<T> termination;
    private final Outlet<T> outlet;
    private final Turns turns;
    private final Intake intake;
    private final Turnstile<T> turnstile;
    private Lanes<T> lanes;

    /** Whether downstream has thrown inside the drain. */
    private volatile boolean downstreamThrew;

    StreamDrain(
            LimiterPlan<T> plan,
            GatedStream<T> stream,
            @Nullable Executor resume,
            Intake intake,
            Losses<T> losses,
            StreamFailure failure,
            StreamSource<T> source) {
        this.errorsCutAhead = plan.options().isErrorsCutAhead();
        this.resume = resume;
        this.failure = failure;
        this.losses = losses;
        this.source = source;
        this.intake = intake;
        this.termination = new Termination<>(stream, source, losses, failure, resume);
        this.outlet = new Outlet<>(plan, stream, demand, intake, losses, failure);
        this.turns = new Turns(outlet.isDeferred() ? null : resume, this::myTurn);
        this.turnstile = new Turnstile<>(this, plan, outlet, intake, failure, turns);
        this.lanes = plan.newLanes(losses, failure);
    }

    /** Called before the first element. */
    void replaceLanes(Lanes<T> others) {
        lanes = others;
    }

    // Signals. Any thread

    /** Something has changed that the next pass must see. */
    void signal() {
        if (wip.post()) {
            goOn();
        }
    }

    /** An element has arrived: delivers it at once, or holds it. Returns false if there is no room. On the source's thread. */
    boolean admit(T element, int cost, Object key, RateLimiter limiter) {
        boolean hasRoom = true;
        try {
            if (!wip.beginIfIdle()) {
                hasRoom = lanes.hold(element, cost, key, limiter);
                signal();
                return hasRoom;
            }
            try {
                if (!passAtOnce(element, cost, key, limiter)) {
                    hasRoom = lanes.hold(element, cost, key, limiter);
                    step();
                }
            } catch (Throwable thrown) {
                giveUp();
                throw thrown;
            }
            if (!endPass()) {
                goOn();
            }
            return hasRoom;
        } catch (Throwable thrown) {
            if (!hasRoom) {
                losses.drop(element); // it was not held, and the caller will not hear that
            }
            throw thrown;
        }
    }

    private boolean passAtOnce(T element, int cost, Object key, RateLimiter limiter) {
        boolean goesOn = !isOver() && failure.pending() == null;
        if (goesOn && demand.isThere() && isFree(element, key) && passIfItCan(element, cost, limiter)) {
            withdrawWithoutDemand();
            refill();
            return true;
        }
        return false;
    }

    /** If the key throws, the stream fails, and the element is lost with all that is held. */
    private boolean isFree(T element, Object key) {
        try {
            return lanes.isFree(key);
        } catch (Throwable ofKey) {
            try {
                failure.setBySource(ofKey);
            } catch (Throwable fatal) {
                outlet.lose(element);
                throw fatal;
            }
            return false;
        }
    }

    /** An element that would find no room also goes with a lease, as some limits have permits only with that. */
    private boolean passIfItCan(T element, int cost, RateLimiter limiter) {
        if (outlet.consumeIfItCan(limiter, cost)) {
            outlet.pass(element);
            return true;
        }
        return lanes.isFull() && outlet.passIfGranted(element, limiter, cost);
    }

    /** A waiting request has been answered. */
    void answered(LaneRequest<T> request) {
        lanes.answered(request);
        if (resume == null) {
            signal();
            return;
        }
        RejectedExecutionException rejection = request.handOver(resume);
        if (rejection != null) {
            if (!isOver()) {
                failure.setByExecutor(rejection);
            }
            signal();
        }
    }

    /** The executor runs the task with which this stream stood in line. */
    private void myTurn() {
        turns.leaveLine();
        signal();
    }

    /** A limiter has failed, inside the drain or for a thread that signals next: the pass under way, or the next, fails the stream. */
    void fails(Throwable error) {
        failure.set(error);
    }

    /** Downstream has cancelled. While held elements are being dropped at the end, it then hears of no end. */
    void cancel() {
        if (termination.isEnded()) {
            return;
        }
        boolean isEnding = isOver();
        termination.cancel();
        if (!isEnding) {
            lanes.open.withdrawAll();
            if (!intake.isPulled()) { // or the drain does, as the source may just be polled
                source.cancel();
            }
            signal();
        }
    }

    /**
     * Requests the first elements from the source, outside the drain. If that throws, the source has failed; unless downstream
     * has thrown, when the source delivered: then the caller hears of it.
     */
    void requestFirst(long elements) {
        try {
            source.request(elements);
        } catch (Throwable thrown) {
            if (downstreamThrew) {
                throw thrown;
            }
            sourceFailed(thrown);
        }
    }

    /** Fails the stream; what is fatal is rethrown, and the stream cancelled. */
    private void sourceFailed(Throwable thrown) {
        try {
            failure.setBySource(thrown);
        } catch (Throwable fatal) {
            cancel();
            throw fatal;
        }
        signal();
    }

    // Processing. One thread at a time

    private void goOn() {
        try {
            do {
                step();
            } while (!endPass());
        } catch (Throwable thrown) {
            giveUp();
            throw thrown;
        }
    }

    /** Downstream has thrown, which counts as a cancellation. */
    private void giveUp() {
        downstreamThrew = true;
        termination.cancel();
        try {
            termination.cleanUp(lanes);
        } finally {
            if (!endPass()) {
                goOn();
            }
        }
    }

    /** Does all that can be done now. */
    private void step() {
        do {
            boolean last = source.isDone();
            if (!isOver() && failureNow(last) == null) {
                lanes.absorb(demand.isThere()); // may take from a fused source, or tell of evicted elements
            }
            if (isOver()) {
                termination.cleanUp(lanes);
                return;
            }
            Throwable error = failureNow(last);
            if (error != null) {
                termination.end(lanes, error);
                return;
            }
            if ((last || lanes.isExhausted()) && lanes.isEmpty()) {
                termination.end(lanes, source.error());
                return;
            }
        } while (demand.isThere() && !wip.isNearOverflow() && serveNext());
        withdrawWithoutDemand();
        refill();
    }

    private boolean serveNext() {
        boolean served = turnstile.serveNext(lanes);
        if (served) {
            refill();
        }
        return served;
    }

    private void refill() {
        intake.refill(demand.isThere(), lanes.size());
    }

    /** Ends a pass. Returns whether it was the last. */
    private boolean endPass() {
        if (wip.isAllKnown()) {
            rest();
        }
        if (failure.pending() != null) {
            wip.post(); // a failure since the last check ends the stream
        }
        return wip.endPass();
    }

    private void rest() {
        outlet.takeDeferred();
        if (!turns.areUnlimited() && (!demand.isThere() || lanes.isEmpty())) {
            turns.rest();
        }
    }

    /** The error with which the stream is to fail before any further element; null if none. */
    private @Nullable Throwable failureNow(boolean last) {
        Throwable error = failure.pending();
        return error == null && last && errorsCutAhead ? source.error() : error;
    }

    private void withdrawWithoutDemand() {
        if (!demand.isThere()) {
            lanes.withdraw();
        }
    }

    // State for observers. Any thread

    boolean isCancelled() {
        return termination.isCancelled();
    }

    boolean isEnded() {
        return termination.isEnded();
    }

    /** Whether nothing more is passed on. */
    boolean isOver() {
        return termination.isOver();
    }

    int held() {
        return lanes.size();
    }
}
