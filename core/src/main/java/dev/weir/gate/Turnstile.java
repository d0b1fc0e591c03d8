package dev.weir.gate;

import dev.weir.Lease;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.stream.OnRefused;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** Serves one lane at a time: requests permits, and lets go what is granted or refused. Called only inside the drain. */
final class Turnstile<T> {

    private static final int REFUSED = -1;

    private final StreamDrain<T> drain;
    private final Outlet<T> outlet;
    private final WorkInProgress wip;
    private final Demand demand;
    private final Intake intake;
    private final StreamFailure failure;
    private final Turns turns;
    private final @Nullable Duration maxWait;
    private final boolean dropsRefused;

    Turnstile(
            StreamDrain<T> drain,
            LimiterPlan<T> plan,
            Outlet<T> outlet,
            Intake intake,
            StreamFailure failure,
            Turns turns) {
        this.drain = drain;
        this.outlet = outlet;
        this.wip = drain.wip;
        this.demand = drain.demand;
        this.intake = intake;
        this.failure = failure;
        this.turns = turns;
        this.maxWait = plan.options().maxWait().orElse(null);
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
        return mine;
    }

    /** Serves a lane with an answered request, or an element not yet requested. */
    private void serve(Lanes<T> lanes, Lane<T> lane) {
        LaneRequest<T> request = lane.request;
        if (request != null) {
            serveAnswered(lane, request.permits);
        } else {
            serveUnasked(lanes, lane, lane.cost());
        }
    }

    private void serveAnswered(Lane<T> lane, int asked) {
        Lease lease;
        try {
            lease = lane.answer();
        } catch (Throwable failed) {
            failed(lane, failed);
            return;
        }
        if (lease != null) {
            use(lane, lease, asked, true);
        }
    }

    /** If permits are available, the elements that follow go too. */
    private void serveUnasked(Lanes<T> lanes, Lane<T> lane, int cost) {
        boolean free;
        Lease lease;
        try {
            free = outlet.consume(lane.limiter, cost);
            lease = free ? null : requestIfDue(lanes, lane);
        } catch (Throwable failed) {
            failed(lane, failed);
            return;
        }
        if (free) {
            turns.took();
            outlet.pass(lane.take());
            passFollowing(lane);
        } else if (lease != null) {
            use(lane, lease, cost, false);
        }
    }

    /**
     * Uses the answer to a request. A lease that cannot be read may be a grant, and goes back. A grant is for what was asked for,
     * whatever a limiter of somebody else says: one of fewer permits would never be enough.
     */
    private void use(Lane<T> lane, Lease lease, int asked, boolean waited) {
        int granted;
        try {
            granted = lease.isAcquired() ? asked : REFUSED;
        } catch (Throwable failed) {
            failed(lane, failed);
            outlet.giveBack(lease::giveBack);
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
        outlet.lose(lane.take());
        if (!isRefusal(failed, cost, lane.limiter)) {
            failure.set(failed);
        }
    }

    /**
     * Whether a lane whose permits are not there makes its request later. Not with a maximum wait, as what is to be refused must
     * not be delayed; nor if the permits are there, but only a request can have them.
     */
    private boolean isPutOff(Lanes<T> lanes, Lane<T> lane) {
        return maxWait == null && lanes.mayPutOff(lane, demand.left()) && lane.mustWait();
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
    private void passFollowing(Lane<T> lane) {
        if (!turns.areUnlimited()) {
            return;
        }
        while (wip.isAllKnown()
                && !intake.isShort()
                && demand.isThere()
                && lane.findNext()
                && !drain.isCancelled() // the source may have taken its time
                && outlet.consumeIfItCan(lane.limiter, lane.cost())) {
            outlet.pass(lane.take());
        }
    }

    /**
     * Requests the permits of the next element of a lane. Returns the lease if granted at once, null if the answer will come
     * later, or none, as downstream has cancelled. A limiter of the stream's own is only asked to notify of a permit, which is then
     * taken when the element goes.
     */
    private @Nullable Lease requestPermits(Lanes<T> lanes, Lane<T> lane) {
        RateLimiter limiter = lane.limiter;
        int permits = outlet.isDeferred() && !lane.insists ? 0 : lane.cost();
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
        if (outlet.isDeferred() && !lane.insists) {
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
            outlet.giveBack(lease::giveBack);
            return;
        }
        if (cost < granted) {
            outlet.giveBack(() -> lease.settle(cost));
        }
        outlet.pass(lane.take(), lease);
    }

    /**
     * Takes the permit after a notification that there is one, or will be none. If that fails, the permit itself is requested
     * next.
     */
    private void takeAndPass(Lane<T> lane, int cost) {
        if (outlet.consumeIfItCan(lane.limiter, cost)) {
            outlet.pass(lane.take());
        } else {
            lane.insists = true;
        }
    }

    /** Loses the element of the request. If it has gone, by another grant or an eviction, there is nothing to refuse. */
    private void refused(Lane<T> lane, Lease lease) {
        T element = lane.takeRequested();
        if (element != null) {
            outlet.lose(element);
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
}
