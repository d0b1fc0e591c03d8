package dev.weir.redis;

import dev.weir.QueueOrder;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.limit.WaitingRequest;
import dev.weir.time.TimeSource;
import org.jspecify.annotations.Nullable;

/** The policy of a limit shared with other nodes: decides with the store, and alone during an outage. */
final class FleetPolicy implements PermitPolicy {

    private final Trips trips;
    private final OwnShare share;
    private final Fallback fallback;
    private final OutageDecisions inOutage;
    private final Recovery recovery;
    private final StoreDecisions withStore;
    private final ZeroPermits zeroPermits;
    private final Stamps stamps;
    private final boolean returnsOnRelease;

    /**
     * With newest first, waiting requests come through tryTake like requests that do not wait: that an answer is in flight does not
     * say how long they will wait, and they must not be refused for that.
     */
    private final boolean isNewestFirst;

    FleetPolicy(
            Limit limit,
            Store store,
            Node node,
            TimeSource time,
            QueueOrder order,
            NodeSettings settings,
            long nowNanos) {
        FleetTerms terms = new FleetTerms(limit, settings);
        this.returnsOnRelease = terms.returnsOnRelease();
        this.isNewestFirst = order == QueueOrder.NEWEST_FIRST;
        this.share = new OwnShare(terms, this::state, nowNanos);
        this.fallback = new Fallback(terms, share, nowNanos);
        this.trips = new Trips(terms, store, node, time, fallback, nowNanos);
        this.stamps = new Stamps(terms.periodNanos());
        this.inOutage = new OutageDecisions(trips, fallback);
        this.recovery = new Recovery(trips, share);
        this.withStore = new StoreDecisions(trips, inOutage, recovery, stamps);
        this.zeroPermits = new ZeroPermits(trips, inOutage);
    }

    private FleetState state() {
        return trips.state();
    }

    @Override
    public void signalTo(Runnable toCall) {
        trips.waiters.signalTo(toCall);
    }

    // Taking

    @Override
    public long tryTake(int permits, long nowNanos) {
        long wait = permits == 0
                ? Math.max(zeroPermits.tryTake(nowNanos), recovery.nanosUntil(0, nowNanos))
                : withStore.take(permits, nowNanos);
        if (wait != AWAIT_SIGNAL) {
            return wait;
        }
        boolean mayComeFromQueue = permits == 0 || isNewestFirst;
        if (!mayComeFromQueue) {
            return untilWorthATry(permits, nowNanos);
        }
        if (returnsOnRelease) {
            trips.pollLater(permits, Long.MAX_VALUE, nowNanos); // no signal comes when leases end on other nodes
        }
        return AWAIT_SIGNAL;
    }

    /** Returns after how long to retry for permits being fetched; if they have arrived meanwhile, takes them. */
    private long untilWorthATry(int permits, long nowNanos) {
        for (int round = 0; ; round++) {
            long wait = trips.nanosToComeBack(nowNanos);
            if (wait != AWAIT_SIGNAL || trips.hasNoRetryTime(nowNanos) || round == NodeSettings.ROUNDS) {
                return wait;
            }
            wait = withStore.take(permits, nowNanos);
            if (wait != AWAIT_SIGNAL) {
                return wait;
            }
        }
    }

    @Override
    public long tryTakeFirst(WaitingRequest first, long waiting, long longestNanos, long nowNanos) {
        return withStore.takeFirst(first, waiting, longestNanos, nowNanos);
    }

    /** A trip may be under way that does not ask for this request: the next one does. */
    @Override
    public long nanosUntilDecided(int permits, long nowNanos) {
        return withStore.isDecided(permits, nowNanos)
                ? 0
                : 2 * trips.terms().settings().deadlineNanos();
    }

    // Without the store

    @Override
    public @Nullable Throwable failure(long nowNanos) {
        Outage outage = trips.state().out;
        return outage != null && outage.covers(nowNanos) && fallback.isRefusing() ? outage.cause() : null;
    }

    @Override
    public DecisionSource source(long nowNanos) {
        return trips.state().isOut(nowNanos) ? DecisionSource.FALLBACK : DecisionSource.REMOTE;
    }

    // Giving back

    @Override
    public void giveBack(int permits, long takenAtNanos, long nowNanos) {
        giveBack(permits, Portion.ALL, takenAtNanos, nowNanos);
    }

    /** Keeps the permits in hand: a caller that takes from several limiters needs them again when another has answered. */
    @Override
    public void putBack(int permits, long takenAtNanos, long nowNanos) {
        recovery.givenBack(permits, Portion.ALL, takenAtNanos, nowNanos); // first, as what is in hand is not in use
        if (!withStore.putBack(permits, takenAtNanos, nowNanos)) {
            giveBackWhereTaken(permits, Portion.ALL, takenAtNanos, nowNanos);
        }
    }

    @Override
    public void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
        boolean isBack = released && returnsOnRelease;
        if (isBack && trips.terms().periodNanos() == 0) {
            return;
        }
        if (actual > taken) {
            charge(actual - taken, nowNanos);
        } else if (actual < taken) {
            giveBack(taken - actual, isBack ? Portion.PART_OF_CLOSED : Portion.PART, takenAtNanos, nowNanos);
        }
    }

    private void giveBack(int permits, Portion portion, long takenAtNanos, long nowNanos) {
        if (permits > 0) {
            recovery.givenBack(permits, portion, takenAtNanos, nowNanos);
            giveBackWhereTaken(permits, portion, takenAtNanos, nowNanos);
        }
    }

    private void giveBackWhereTaken(int permits, Portion portion, long takenAtNanos, long nowNanos) {
        if (trips.state().isOut(takenAtNanos)) {
            fallback.giveBack(permits, portion, takenAtNanos, nowNanos);
            if (returnsOnRelease && portion.isHeld()) {
                trips.update(next -> next.release(permits, portion.calls()));
            }
            return;
        }
        Slot back = Slot.taken(permits, stamps.storeTime(takenAtNanos), portion.isPart());
        trips.update(next -> {
            next.bookSooner(nowNanos);
            if (portion.isHeld()) {
                next.undo(back, portion.calls());
            } else {
                next.undoOfNoneHeld(back);
            }
        });
    }

    @Override
    public void release(int permits, long nowNanos) {
        if (returnsOnRelease) {
            boolean isByShare = trips.state().out != null || recovery.isOn(nowNanos);
            if (!isByShare) { // otherwise the share finds it out when it is asked
                share.release(permits, nowNanos);
            }
            trips.update(next -> next.release(permits, 1));
        }
    }

    @Override
    public void charge(int permits, long nowNanos) {
        if (permits <= 0) {
            return;
        }
        if (trips.state().isOut(nowNanos)) {
            inOutage.charge(permits, nowNanos);
            return;
        }
        recovery.charged(permits, nowNanos);
        FleetState before = trips.update(next -> next.charge(Owed.charged(permits), nowNanos));
        if (before.hand().hasBooked()) {
            trips.waiters.drain(); // waiting requests come after the charge
        }
    }

    @Override
    public void cancelReservations() {
        FleetState seen = trips.state();
        if (seen.hand().hasBooked() || seen.isAsking()) {
            trips.update(next -> next.bookAnew());
        }
        trips.dropLater(); // what was fetched for a request that has left
    }

    @Override
    public void close() {
        trips.close();
    }

    // Telling

    @Override
    public long available(long nowNanos) {
        for (int round = 0; ; round++) {
            FleetState seen = trips.state();
            if (seen.isOut(nowNanos)) {
                return inOutage.available(seen, nowNanos);
            }
            boolean isLatest = seen.trip != null || round == NodeSettings.ROUNDS || seen.known.isFresh(nowNanos, 0);
            if (isLatest || !trips.refresh(seen, nowNanos)) {
                FleetState latest = trips.state();
                long atStore = latest.known.available(trips.terms().whenFull())
                        + latest.hand().usable(nowNanos);
                return recovery.available(atStore, nowNanos);
            }
        }
    }

    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        return Math.max(recovery.nanosUntil(permits, nowNanos), nanosUntilGranted(ahead, permits, nowNanos));
    }

    /** An estimate where an answer tells of other sizes; behind so many that they exceed the capacity, a lower bound. */
    private long nanosUntilGranted(long ahead, int permits, long nowNanos) {
        FleetState seen = trips.state();
        if (seen.isOut(nowNanos)) {
            return inOutage.nanosUntilAny(nowNanos);
        }
        if (seen.hand().unbooked() >= ahead + permits) {
            return 0;
        }
        if (seen.isAsking()) {
            return AWAIT_SIGNAL; // the previous answer no longer counts
        }
        Denial denial = seen.known.denial();
        long denied = ahead > 0 || denial.isWithoutEnd() ? 0 : denial.nanosLeftExactly(permits, nowNanos);
        if (denied > 0) {
            return denied;
        }
        int all = (int) Math.min(ahead + permits, capacity());
        long wait = seen.known.until(all, trips.terms(), nowNanos);
        return wait == AWAIT_SIGNAL
                ? wait
                : Math.max(wait, atLeast(seen, Math.min(ahead, 1), ahead, permits, nowNanos));
    }

    /** While the store is asked for more than is booked already, what it said before still counts: who is first waits by that, too. */
    @Override
    public long nanosAtLeast(long requestsAhead, long ahead, int permits, long nowNanos) {
        FleetState seen = trips.state();
        if (seen.isOut(nowNanos)) {
            return inOutage.nanosUntilAny(nowNanos);
        }
        boolean isKnown = !seen.isAsking() || seen.hand().hasBooked();
        long wait = isKnown ? atLeast(seen, requestsAhead, ahead, permits, nowNanos) : 0;
        return Math.max(recovery.nanosAtLeast(permits, nowNanos), wait);
    }

    /**
     * Returns the least wait behind the requests ahead, which the permits in hand serve first. Each of those may be for one permit. If
     * they leave any in hand, returns zero: these are too few for this request and go back to the store, which may then serve it at once.
     */
    private long atLeast(FleetState seen, long requestsAhead, long ahead, int permits, long nowNanos) {
        long inHand = seen.hand().unbooked();
        long left = ahead - inHand;
        long requestsLeft = Math.max(Math.min(left, 1), requestsAhead - inHand);
        return left < 0 ? 0 : seen.known.atLeast(requestsLeft, left, permits, trips.terms(), nowNanos);
    }

    @Override
    public boolean findsWaitByTaking() {
        return false;
    }

    /** As far as this node knows, without asking: what other nodes have taken since is not considered. */
    @Override
    public long nanosUntilFull(long nowNanos) {
        FleetState seen = trips.state();
        if (seen.isInUse(nowNanos)
                || trips.isOverdue()
                || (returnsOnRelease && (seen.pending().isHolding() || seen.trip != null))) {
            return AWAIT_SIGNAL;
        }
        boolean hasShare = seen.out != null || seen.recovery.covers(nowNanos);
        long ofShare = hasShare ? fallback.nanosUntilFull(trips.terms().periodNanos(), nowNanos) : 0;
        return Math.max(ofShare, seen.known.untilFull(nowNanos));
    }

    @Override
    public long nanosSinceFull(long nowNanos) {
        return trips.state().known.sinceFull(nowNanos);
    }

    @Override
    public int capacity() {
        return trips.terms().capacity();
    }

    @Override
    public boolean returnsOnRelease() {
        return returnsOnRelease;
    }

    @Override
    public void reconfigure(Limit changed, long nowNanos) {
        trips.terms().limit().newPolicy(nowNanos).reconfigure(changed, nowNanos); // throws if it cannot be reconfigured
        trips.check(changed);
        share.reconfigure(changed, nowNanos);
        stamps.reachBack(trips.reconfigure(changed).periodNanos(), nowNanos);
        trips.update(next -> {
            next.undoAll();
            next.forget(nowNanos);
            next.renew();
        });
    }
}
