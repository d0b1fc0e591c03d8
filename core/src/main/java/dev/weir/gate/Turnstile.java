package dev.weir.gate;

import dev.weir.Lease;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.stream.OnRefused;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Serves one lane at a time: asks for permits, and passes elements on that have theirs. Drain only. */
final class Turnstile<T> {

    private final StreamDrain<T> drain;
    private final StreamEnds<T> ends;
    private final Notes notes;
    private final Demand demand;
    private final Intake intake;
    private final Losses<T> losses;
    private final SourceEnd<T> source;
    private final Turns turns;
    private final @Nullable Duration maxWait;
    private final boolean dropsRefused;

    /** Where the limiter is the stream's own. */
    private final @Nullable Hand hand;

    Turnstile(
            StreamDrain<T> drain,
            GatePlan<T> plan,
            StreamEnds<T> ends,
            Notes notes,
            Demand demand,
            Intake intake,
            Losses<T> losses,
            SourceEnd<T> source,
            Turns turns) {
        this.drain = drain;
        this.ends = ends;
        this.notes = notes;
        this.demand = demand;
        this.intake = intake;
        this.losses = losses;
        this.source = source;
        this.turns = turns;
        this.maxWait = plan.options().maxWait().orElse(null);
        TimeSource timeOfOwn = plan.timeOfOwn();
        this.hand = timeOfOwn == null ? null : new Hand(plan.onlyLimiter(), timeOfOwn);
        this.dropsRefused = plan.options().onRefused() == OnRefused.DROP;
    }

    /** Moves one lane on by one step; there is demand. False if all lanes wait or are empty, or it is not this stream's turn. */
    boolean serveNext(Lanes<T> lanes) {
        Lane<T> lane = lanes.next();
        if (lane == null) {
            return false;
        }
        boolean mine = lane.ask != null || turns.takeTurn(lane);
        try {
            if (mine) {
                serve(lane);
            }
        } finally {
            lanes.served(lane); // also when downstream throws: what is held beside it is to be found
        }
        refill(lanes);
        return mine;
    }

    /** Asks the source for more, where it is time to. */
    void refill(Lanes<T> lanes) {
        if (!source.isDone() && losses.failure() == null) {
            long elements = intake.next(demand.isThere(), lanes.size());
            if (elements > 0) {
                ends.requestFromSource(elements);
            }
        }
    }

    /** Ends a pass. Tells whether it was the last. */
    boolean endPass(Lanes<T> lanes) {
        if (notes.areKnown()) {
            rest(lanes);
        }
        if (losses.failure() != null) {
            notes.post(); // what has failed since the last look ends the stream
        }
        return notes.endPass();
    }

    private void rest(Lanes<T> lanes) {
        if (hand != null) {
            try {
                hand.putDown();
            } catch (RuntimeException | Error failed) {
                losses.fail(failed);
            }
        }
        if (!turns.areUnlimited() && (!demand.isThere() || lanes.size() == 0)) {
            turns.rest();
        }
    }

    /** The lane has an element with nothing asked for it, or an answer. Where a permit is there, what follows goes with it. */
    private void serve(Lane<T> lane) {
        boolean free = false;
        Lease lease = null;
        try {
            if (lane.ask != null) {
                lease = answer(lane, lane.ask);
                turns.waited();
            } else {
                free = consume(lane.limiter, lane.cost());
                if (free) {
                    turns.took();
                } else if (turns.mayAsk(lane)) {
                    lease = ask(lane);
                    if (lease == null) {
                        turns.waits();
                    } else {
                        turns.took();
                    }
                }
            }
        } catch (RuntimeException | Error failed) {
            int cost = lane.cost();
            lose(lane);
            if (!isRefusal(failed, cost, lane.limiter)) {
                losses.fail(failed);
            }
        }
        if (free) {
            pass(lane.take());
            goOn(lane);
        } else if (lease != null) {
            settle(lane, lease);
        }
    }

    /** What fitted the limit on arrival and does not since that has changed is dropped where what is refused is. */
    private boolean isRefusal(Throwable failed, int cost, RateLimiter limiter) {
        return dropsRefused
                && failed instanceof IllegalArgumentException
                && cost > limiter.limit().capacity();
    }

    /**
     * Passes on what follows in the lane while permits are there, there is demand, nobody has signalled anything, and the source
     * need not be asked for more.
     */
    private void goOn(Lane<T> lane) {
        if (!turns.areUnlimited()) {
            return;
        }
        while (notes.areKnown()
                && !intake.isShort()
                && demand.isThere()
                && lane.findNext()
                && consumeIfItCan(lane.limiter, lane.cost())) {
            pass(lane.take());
        }
    }

    /** As {@link #consume}; false also if the limiter fails, as who is refused is held, and asked anew where failures are dealt with. */
    boolean consumeIfItCan(RateLimiter limiter, int cost) {
        try {
            return consume(limiter, cost);
        } catch (RuntimeException | Error failed) {
            return false;
        }
    }

    /** Takes permits now and for good; false if that cannot be. */
    private boolean consume(RateLimiter limiter, int cost) {
        return hand != null ? hand.use() : cost == 0 || limiter.tryConsume(cost);
    }

    /** Hands an element that has its permit downstream. */
    void pass(T element) {
        if (ends.next(element)) {
            demand.use();
        }
        intake.gone();
    }

    /**
     * Asks for the permits of the next element of a lane; answers what is there at once, null if it will come. A limiter of
     * the stream's own is only asked to tell when there is one: it is then taken when the element goes.
     */
    private @Nullable Lease ask(Lane<T> lane) {
        RateLimiter limiter = lane.limiter;
        int permits = hand != null && !lane.insists ? 0 : lane.cost();
        Ask<T> ask = new Ask<>(drain, lane, permits);
        lane.ask = ask;
        boolean answered = false;
        try {
            answered = ask.answeredAtOnce(
                    maxWait == null ? limiter.acquire(permits, ask) : limiter.acquire(permits, maxWait, ask));
        } catch (RuntimeException | Error failed) {
            lane.withdraw();
            throw failed;
        }
        return answered ? answer(lane, ask) : null;
    }

    private static <T> Lease answer(Lane<T> lane, Ask<T> ask) {
        lane.ask = null;
        return ask.lease();
    }

    private void settle(Lane<T> lane, Lease lease) {
        int cost = lane.cost();
        if (hand != null && !lane.insists) {
            takeAndPass(lane, cost);
            return;
        }
        lane.insists = false;
        if (!lease.isAcquired()) {
            refused(lane, lease);
            return;
        }
        if (cost > lease.permits()) {
            // A dearer element has become the next to go. Topping up would let grants of different times pass as one.
            giveBack(lease::giveBack);
            return;
        }
        if (cost < lease.permits()) {
            giveBack(() -> lease.settle(cost));
        }
        try {
            pass(lane.take());
        } finally {
            giveBack(lease::close);
        }
    }

    /** A limiter that fails to take back fails the stream, which has its permit all the same. */
    private void giveBack(Runnable permits) {
        try {
            permits.run();
        } catch (RuntimeException | Error failed) {
            losses.fail(failed);
        }
    }

    /** Told that there is a permit, or that there will be none: who is not believed is asked for the permit itself. */
    private void takeAndPass(Lane<T> lane, int cost) {
        if (consumeIfItCan(lane.limiter, cost)) {
            pass(lane.take());
        } else {
            lane.insists = true;
        }
    }

    private void refused(Lane<T> lane, Lease lease) {
        lose(lane);
        Throwable cause = lease.cause().orElse(null);
        if (cause instanceof RejectedExecutionException rejection) {
            losses.reject(rejection);
        } else if (!dropsRefused || lease.reason().equals(Optional.of(RefusalReason.CLOSED))) {
            losses.fail(new RateLimitExceededException(lease, lane.limiter.name()));
        }
    }

    private void lose(Lane<T> lane) {
        losses.drop(lane.take());
        intake.gone();
    }
}
