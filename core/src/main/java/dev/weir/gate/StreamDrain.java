package dev.weir.gate;

import dev.weir.RateLimiter;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The drain of one subscription: whatever happens to the stream, one thread at a time comes through here and does all that can
 * be done now.
 */
final class StreamDrain<T> {

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

    final Demand demand = new Demand();

    private final boolean errorsCutAhead;
    private final @Nullable Executor resume;
    private final Turns turns;
    private final Notes notes = new Notes();
    private final Losses<T> losses;
    private final SourceEnd<T> source;
    private final Exit<T> exit;
    private final Turnstile<T> turnstile;
    private Lanes<T> lanes;

    private volatile boolean cancelled;

    StreamDrain(
            GatePlan<T> plan,
            StreamEnds<T> ends,
            @Nullable Executor resume,
            Intake intake,
            Losses<T> losses,
            SourceEnd<T> source) {
        this.errorsCutAhead = plan.options().isErrorsCutAhead();
        this.resume = resume;
        this.losses = losses;
        this.source = source;
        this.exit = new Exit<>(ends, source, losses);
        this.turns = new Turns(resume, this::resumed);
        this.turnstile = new Turnstile<>(this, plan, ends, notes, demand, intake, losses, source, turns);
        this.lanes = plan.newLanes(losses);
    }

    /** Serves other lanes from now on. Before the first element. */
    void serve(Lanes<T> others) {
        lanes = others;
    }

    // What happens. Any thread

    /** Something has happened that the next pass will find. */
    void signal() {
        if (notes.post()) {
            goOn();
        }
    }

    /** An element has arrived: passes it on at once, or holds it. False if there is no room. On the source's thread. */
    boolean admit(T element, int cost, @Nullable Object key, RateLimiter limiter) {
        boolean hasRoom = true;
        if (!notes.beginIfIdle()) {
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
        if (!turnstile.endPass(lanes)) {
            goOn();
        }
        return hasRoom;
    }

    private boolean passAtOnce(T element, int cost, @Nullable Object key, RateLimiter limiter) {
        boolean goesOn = !isOver() && losses.failure() == null;
        if (goesOn && demand.isThere() && lanes.isFree(key) && turnstile.consumeIfItCan(limiter, cost)) {
            turnstile.pass(element);
            withdrawWithoutDemand();
            turnstile.refill(lanes);
            return true;
        }
        return false;
    }

    /** A request that waited has its answer. */
    void answered(Ask<T> ask) {
        lanes.answered(ask);
        if (resume == null) {
            signal();
            return;
        }
        RejectedExecutionException rejection = ask.handOver(resume);
        if (rejection != null) {
            if (!isOver()) {
                losses.reject(rejection);
            }
            signal();
        }
    }

    /** The executor has got to this stream. */
    void resumed() {
        turns.begin();
        signal();
    }

    /** Something has gone wrong inside, which fails the stream. */
    void fails(Throwable error) {
        losses.fail(error);
        signal();
    }

    /** Downstream wants nothing any more. */
    void cancel() {
        if (!isOver()) {
            cancelled = true;
            if (!lanes.isPulled()) {
                source.cancel();
            }
            signal();
        }
    }

    // What is done about it. One thread at a time

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

    /** Who was called has thrown, and so has cancelled. */
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
            if (isOver()) {
                exit.cleanUp(lanes);
                return;
            }
            boolean last = source.isDone();
            Throwable error = failure(last);
            if (error == null) {
                lanes.absorb(demand.isThere());
                error = losses.failure(); // of who was told of an element that had to make room
            }
            if (error != null) {
                exit.end(lanes, error);
                return;
            }
            if ((last || lanes.isExhausted()) && lanes.isEmpty()) {
                exit.end(lanes, source.error());
                return;
            }
        } while (demand.isThere() && !notes.areMany() && turnstile.serveNext(lanes));
        withdrawWithoutDemand();
        turnstile.refill(lanes);
    }

    /** With what the stream is to fail before any further element. */
    private @Nullable Throwable failure(boolean last) {
        Throwable error = losses.failure();
        return error == null && last && errorsCutAhead ? source.error() : error;
    }

    private void withdrawWithoutDemand() {
        if (!demand.isThere()) {
            lanes.withdraw();
        }
    }

    // What can be seen of it. Any thread

    boolean isCancelled() {
        return cancelled;
    }

    boolean isEnded() {
        return exit.isTaken();
    }

    /** Whether nothing more is passed on. */
    boolean isOver() {
        return exit.isTaken() || cancelled;
    }

    int held() {
        return lanes.size();
    }
}
