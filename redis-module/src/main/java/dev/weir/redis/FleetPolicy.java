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
    private final Estimates estimates;
    private final Stamps stamps;
    private final boolean returnsOnRelease;

    /**
     * With newest first, waiting requests come through tryTake like requests that do not wait: that an answer is in flight does not
     * say how long they will wait, and they must not be refused for that.
     */
    private final boolean isNewestFirst;

    FleetPolicy(FleetTerms terms, Store store, Node node, TimeSource time, QueueOrder order, long nowNanos) {
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
        this.estimates = new Estimates(trips, inOutage, recovery, fallback);
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
            trips.chores.pollLater(permits, Long.MAX_VALUE, nowNanos); // no signal comes when leases end on other nodes
        }
        return AWAIT_SIGNAL;
    }

    /** Returns after how long to retry for permits being fetched; if they have arrived meanwhile, takes them. */
    private long untilWorthATry(int permits, long nowNanos) {
        for (int round = 0; ; round++) {
            long wait = estimates.nanosToComeBack(nowNanos);
            if (wait != AWAIT_SIGNAL || estimates.hasNoRetryTime(nowNanos) || round == NodeSettings.ROUNDS) {
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
        FleetState seen = trips.state();
        if (!fallback.isRefusing() || !seen.isOut(nowNanos)) {
            return null;
        }
        return seen.out == null ? new IllegalStateException("the store had not answered by then") : seen.out.cause();
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
        Owed owed = Owed.charged(permits, recovery.charged(permits, nowNanos));
        FleetState before = trips.update(next -> next.charge(owed, nowNanos));
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
        trips.chores.dropLater(); // what was fetched for a request that has left
    }

    @Override
    public void close() {
        trips.reporter.close();
    }

    // Telling

    @Override
    public long available(long nowNanos) {
        for (int round = 0; ; round++) {
            FleetState seen = trips.state();
            if (seen.isOut(nowNanos)) {
                return inOutage.available(seen, nowNanos);
            }
            if (trips.endIfLost(seen, nowNanos)) {
                continue;
            }
            boolean isLatest =
                    seen.trip != null || round == NodeSettings.ROUNDS || seen.known.hasArrivedSince(nowNanos);
            if (isLatest) {
                long atStore = seen.known.available(trips.terms().whenFull())
                        + seen.hand().usable(nowNanos);
                return recovery.available(atStore, nowNanos);
            }
            trips.refresh(seen, nowNanos);
        }
    }

    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        return estimates.nanosUntil(ahead, permits, nowNanos);
    }

    @Override
    public long nanosAtLeast(long requestsAhead, long ahead, int permits, long nowNanos) {
        return estimates.nanosAtLeast(requestsAhead, ahead, permits, nowNanos);
    }

    @Override
    public boolean findsWaitByTaking() {
        return false;
    }

    @Override
    public long nanosUntilFull(long nowNanos) {
        return estimates.nanosUntilFull(nowNanos);
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
