package dev.weir.gate;

import dev.weir.Lease;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.stream.OnRefused;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Serves one lane at a time: requests permits, and delivers elements that have theirs. Called only inside the drain. */
final class Turnstile<T> {

    private static final int REFUSED = -1;

    private final StreamDrain<T> drain;
    private final StreamEnds<T> ends;
    private final WorkInProgress wip;
    private final Demand demand;
    private final Intake intake;
    private final Losses<T> losses;
    private final StreamFailure failure;
    private final SourceEnd<T> source;
    private final Turns turns;
    private final @Nullable Duration maxWait;
    private final boolean dropsRefused;

    /** Null unless the limiter is the stream's own. */
    private final @Nullable DeferredPermits deferred;

    Turnstile(
            StreamDrain<T> drain,
            GatePlan<T> plan,
            StreamEnds<T> ends,
            Intake intake,
            Losses<T> losses,
            SourceEnd<T> source,
            Turns turns) {
        this.drain = drain;
        this.ends = ends;
        this.wip = drain.wip;
        this.demand = drain.demand;
        this.intake = intake;
        this.losses = losses;
        this.failure = losses.failure;
        this.source = source;
        this.turns = turns;
        this.maxWait = plan.options().maxWait().orElse(null);
        TimeSource timeOfOwn = plan.timeOfOwn();
        this.deferred = timeOfOwn == null ? null : new DeferredPermits(plan.onlyLimiter(), timeOfOwn);
        this.dropsRefused = plan.options().onRefused() == OnRefused.DROP;
    }

    /**
     * Advances one lane by one step, given demand. Returns false if all lanes wait or are empty, or it is not the stream's turn.
     */
    boolean serveNext(Lanes<T> lanes) {
        Lane<T> lane = lanes.next();
        if (lane == null) {
            return false;
        }
        boolean mine = false;
        try {
            mine = lane.request != null || turns.takeTurn(lane);
            if (mine) {
                serve(lanes, lane);
            }
        } finally {
            lanes.served(lane); // also when downstream throws, so that the other held elements can be found
        }
        refill(lanes);
        return mine;
    }

    /** Requests more elements from the source, if due. */
    void refill(Lanes<T> lanes) {
        if (!source.isDone() && failure.pending() == null) {
            long elements = intake.next(demand.isThere(), lanes.size());
            if (elements > 0) {
                requestFromSource(elements);
            }
        }
    }

    /** If this throws, it is the source that has thrown, as what it sends meanwhile is held; what is fatal is rethrown. */
    private void requestFromSource(long elements) {
        try {
            source.request(elements);
        } catch (Throwable thrown) {
            failure.setBySource(thrown);
        }
    }

    /** Takes the permits of the elements that have gone, if they were deferred. Called before the drain is left. */
    void takeDeferred() {
        if (deferred != null) {
            try {
                deferred.takeUsed();
            } catch (Throwable failed) {
                failure.set(failed);
            }
        }
    }

    /**
     * Serves a lane with an element not yet requested, or an answered request. Elements that follow go too if permits are
     * available.
     */
    private void serve(Lanes<T> lanes, Lane<T> lane) {
        LaneRequest<T> request = lane.request;
        boolean waited = request != null;
        int asked = request != null ? request.permits : lane.cost();
        boolean free = false;
        Lease lease = null;
        try {
            if (waited) {
                lease = lane.answer();
            } else {
                free = consume(lane.limiter, lane.cost());
                lease = free ? null : requestIfDue(lanes, lane);
            }
        } catch (Throwable failed) {
            failed(lane, failed);
        }
        if (free) {
            turns.took();
            pass(lane.take());
            goOn(lane);
        } else if (lease != null) {
            answered(lane, lease, waited, asked);
        }
    }

    /**
     * The request of a lane has been answered. A lease that cannot be read may be a grant, and goes back. A grant is for what was
     * asked for, whatever a limiter of somebody else says: one of fewer permits would never be enough.
     */
    private void answered(Lane<T> lane, Lease lease, boolean waited, int asked) {
        int granted;
        try {
            granted = lease.isAcquired() ? asked : REFUSED;
        } catch (Throwable failed) {
            failed(lane, failed);
            giveBack(lease::giveBack);
            return;
        }
        if (granted != REFUSED && waited) {
            turns.waited();
        } else if (granted != REFUSED) {
            turns.took();
        }
        settle(lane, lease, granted);
    }

    /**
     * Requests permits that could not be consumed, unless others go before: the lane is put off, or the stream's turn is over. Returns
     * the lease if the request is answered at once.
     */
    private @Nullable Lease requestIfDue(Lanes<T> lanes, Lane<T> lane) {
        if (isPutOff(lanes, lane)) {
            lanes.putOff(lane);
            return null;
        }
        if (!turns.mayRequest(lane)) {
            return null;
        }
        Lease lease = requestPermits(lanes, lane);
        if (lease == null) {
            turns.beginToWait();
        }
        return lease;
    }

    /** The limiter of a lane has thrown: its element is lost. */
    private void failed(Lane<T> lane, Throwable failed) {
        int cost = lane.cost();
        lose(lane.take());
        if (!isRefusal(failed, cost, lane.limiter)) {
            failure.set(failed);
        }
    }

    /**
     * Whether a lane whose permits are not there makes its request later. Not with a maximum wait, as what is to be refused must
     * not be delayed; nor if the permits are there, but only a request can have them.
     */
    private boolean isPutOff(Lanes<T> lanes, Lane<T> lane) {
        return maxWait == null && lanes.mayPutOff(lane, demand.left()) && Turns.mustWait(lane);
    }

    /** Whether to drop the element as refused: it fitted the limit on arrival, but no longer does, as the limit has changed. */
    private boolean isRefusal(Throwable failed, int cost, RateLimiter limiter) {
        if (!dropsRefused || !(failed instanceof IllegalArgumentException)) {
            return false;
        }
        try {
            return cost > limiter.limit().capacity();
        } catch (Throwable noLimit) {
            return false; // thrown by the function for the limit of a key, which is asked again here
        }
    }

    /**
     * Delivers the next elements of the lane while permits are available, there is demand, there are no new signals, and the
     * source need not be asked for more.
     */
    private void goOn(Lane<T> lane) {
        if (!turns.areUnlimited()) {
            return;
        }
        while (wip.isAllKnown()
                && !intake.isShort()
                && demand.isThere()
                && lane.findNext()
                && !drain.isCancelled() // the source may have taken its time
                && consumeIfItCan(lane.limiter, lane.cost())) {
            pass(lane.take());
        }
    }

    /**
     * Like {@link #consume}, but also false if the limiter fails: the element is then requested again where failures are handled.
     */
    boolean consumeIfItCan(RateLimiter limiter, int cost) {
        try {
            return consume(limiter, cost);
        } catch (Throwable failed) {
            return false;
        }
    }

    /** Takes permits immediately and without a lease; returns false if they are not available. */
    private boolean consume(RateLimiter limiter, int cost) {
        return deferred != null ? deferred.use() : cost == 0 || limiter.tryConsume(cost);
    }

    /** Delivers an element if its permits are granted at once. Returns false if they are not, or the limiter fails. */
    boolean passIfGranted(T element, RateLimiter limiter, int cost) {
        Lease lease = null;
        try {
            if (limiter.availablePermits() < cost) {
                return false; // without the refusal that a miss would count as
            }
            lease = NoLease.unlessGiven(limiter.tryAcquire(cost), limiter);
            if (!lease.isAcquired()) {
                return false;
            }
        } catch (Throwable failed) {
            if (lease != null) { // it cannot be read, and may be a grant
                failure.set(failed);
                giveBack(lease::giveBack);
            }
            return false;
        }
        passAndClose(element, lease);
        return true;
    }

    /** Delivers an element, which has its permit, downstream. */
    void pass(T element) {
        if (ends.next(element)) {
            demand.use();
        }
        intake.gone();
    }

    /**
     * Requests the permits of the next element of a lane. Returns the lease if granted at once, null if the answer will come
     * later, or none, as downstream has cancelled. A limiter of the stream's own is only asked to notify of a permit, which is then
     * taken when the element goes.
     */
    private @Nullable Lease requestPermits(Lanes<T> lanes, Lane<T> lane) {
        RateLimiter limiter = lane.limiter;
        int permits = deferred != null && !lane.insists ? 0 : lane.cost();
        LaneRequest<T> request = new LaneRequest<>(drain, lanes.open, lane, permits);
        lane.requested(request);
        boolean waits = false;
        try {
            waits = request.beginToWait(
                    maxWait == null ? limiter.acquire(permits, request) : limiter.acquire(permits, maxWait, request));
        } catch (Throwable failed) {
            lane.withdraw();
            throw failed;
        }
        if (!waits) {
            return lane.answer();
        }
        if (drain.isCancelled()) {
            lane.withdraw(); // who cancelled may not have found it; who cancels from now on does
        }
        return null;
    }

    private void settle(Lane<T> lane, Lease lease, int granted) {
        int cost = lane.cost();
        if (deferred != null && !lane.insists) {
            takeAndPass(lane, cost);
            return;
        }
        lane.insists = false;
        if (granted == REFUSED) {
            refused(lane, lease);
            return;
        }
        if (cost > granted) {
            // A costlier element has become the next to go. Topping up would combine grants of different times.
            giveBack(lease::giveBack);
            return;
        }
        if (cost < granted) {
            giveBack(() -> lease.settle(cost));
        }
        passAndClose(lane.take(), lease);
    }

    private void passAndClose(T element, Lease lease) {
        try {
            pass(element);
        } finally {
            giveBack(lease::close);
        }
    }

    /** Returns permits to the limiter. If that fails, the stream fails, although the element has its permit. */
    private void giveBack(Runnable permits) {
        try {
            permits.run();
        } catch (Throwable failed) {
            failure.set(failed);
        }
    }

    /**
     * Takes the permit after a notification that there is one, or will be none. If that fails, the permit itself is requested
     * next.
     */
    private void takeAndPass(Lane<T> lane, int cost) {
        if (consumeIfItCan(lane.limiter, cost)) {
            pass(lane.take());
        } else {
            lane.insists = true;
        }
    }

    /** Loses the element of the request. If it has gone, by another grant or an eviction, there is nothing to refuse. */
    private void refused(Lane<T> lane, Lease lease) {
        T element = lane.takeRequested();
        if (element != null) {
            lose(element);
        }
        try {
            RejectedExecutionException rejection = Refusal.rejection(lease);
            if (rejection != null) {
                failure.setByExecutor(rejection);
            } else if (Refusal.isByClosing(lease) || (element != null && !dropsRefused)) {
                failure.set(new RateLimitExceededException(lease, lane.limiter.name()));
            }
        } catch (Throwable unreadable) {
            failure.set(unreadable);
        }
    }

    private void lose(T element) {
        losses.drop(element);
        intake.gone();
    }
}
