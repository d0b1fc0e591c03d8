package dev.weir.redis;

import dev.weir.QueueOrder;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import org.jspecify.annotations.Nullable;

/** Keeps one limit together with other nodes: gives out what the store has granted, and asks it for more. */
final class FleetPolicy implements PermitPolicy {

    /*
     * Idea. The store decides; a node has in hand what the store has granted, and knows what it last said. Requests are answered from
     * both. What cannot be answered makes a trip, one at a time, which asks for everything that is wanted by then and tells everything
     * that has been given back or charged. When the answer comes those who wait are asked for again.
     *
     * Waiting. Who waits books: the store records the permits at the first time that the limit allows and says when that is, and the
     * engine's own timer does the rest. So nobody polls, and who books first goes first, whichever node it is. The first of those who
     * wait is booked however far ahead it has to be, those behind it a short time ahead: enough to keep a node busy between trips, and
     * so little that a node that dies takes little with it. When those who booked leave, what they booked goes back.
     *
     * Ahead. Where that is wanted, a node takes more than is asked for, and keeps it in hand; but not while somebody waits on it: what it
     * would keep is then what others wait for, here or on other nodes.
     *
     * Calls. Where requests are counted, whatever their permits, what was granted for requests of one size is for those of that size, as
     * it is so many; others give it back and ask anew.
     *
     * Crowds. Who is told of a permit and asks again at once would make a trip alone, and all who are told after it another. So while
     * permits are being told of, a trip waits for as many to ask again, but no longer than for the telling, and a millisecond.
     *
     * Races. All state is one value, replaced by compare-and-set. Whoever puts a trip into it sends that trip, so there is never more
     * than one. A trip ends once; its end is a change like any other. An answer that comes while its question is still being sent is
     * found by whoever sent it; one that comes later, or that somebody else waits for as well, signals the drain, on a thread of the
     * time source and never on that of the connection, as user code runs there.
     *
     * Outages. A trip that fails, or takes too long, begins an outage: from then on this node decides on its own, until a trip
     * succeeds, which is tried once in a while in the background. Which of the two decides is a function of the time of a request, so
     * that a permit that comes back later goes to where it came from. What a lost trip took counts as spent.
     *
     * References: prepaid batches and their bound as in GALE of throttlekit; booking as in the reservations of Guava's limiter, but in
     * the order in which they reach the store.
     */

    private static final int ROUNDS = 4;
    private static final long AGAIN_NANOS = 1_000_000;

    private final Trips trips;
    private final Manners manners;
    private final Fallback fallback;
    private final Alone alone;
    private final Probe probe;
    private final Stamps stamps;
    private final boolean returnsOnRelease;
    private final boolean countsCalls;
    private volatile boolean isNewestFirst;

    FleetPolicy(Limit limit, Store store, Node node, TimeSource time, Manners manners, long nowNanos) {
        this.manners = manners;
        this.stamps = new Stamps(Rates.periodNanos(limit));
        this.fallback = new Fallback(manners.whenUnavailable(), manners.shares(), limit, nowNanos);
        this.returnsOnRelease = Rates.returnsOnRelease(limit);
        this.countsCalls = Rates.countsCalls(limit);
        this.trips = new Trips(limit, store, node, time, manners, fallback, returnsOnRelease, nowNanos);
        this.alone = new Alone(trips, fallback);
        this.probe = new Probe(trips, alone);
    }

    /**
     * Tells a policy, before its first use, the order of the queue it is for. Where the newest goes first, who waits is asked
     * for as who tries: that an answer is on its way says nothing of how long it will wait, and it is not to be refused for that.
     */
    static PermitPolicy under(QueueOrder order, PermitPolicy policy) {
        if (policy instanceof FleetPolicy fleet) {
            fleet.isNewestFirst = order == QueueOrder.NEWEST_FIRST;
        }
        return policy;
    }

    @Override
    public void signalTo(Runnable toCall) {
        trips.signalTo(toCall);
    }

    // Taking

    @Override
    public long tryTake(int permits, long nowNanos) {
        if (permits == 0) {
            return probe.answer(nowNanos);
        }
        long wait = take(permits, permits, false, nowNanos);
        return wait == AWAIT_SIGNAL && !isNewestFirst ? trips.nanosToComeBack(nowNanos) : wait;
    }

    @Override
    public long tryTakeFirst(int permits, long waiting, long nowNanos) {
        return take(permits, Math.max(permits, waiting), true, nowNanos);
    }

    private long take(int permits, long waiting, boolean isFirst, long nowNanos) {
        for (int round = 0; ; round++) {
            FleetState seen = trips.state();
            if (seen.isOut(nowNanos)) {
                return alone.tryTake(permits, isFirst, seen, nowNanos);
            }
            Hand hand = seen.hand();
            Trip underWay = seen.trip;
            boolean isLikeOthers =
                    !(countsCalls || returnsOnRelease) || hand.isFor(permits); // or it is another number of calls
            if (isLikeOthers
                    && hand.take(permits, isFirst || underWay != null ? 0 : trips.leaseAhead() / 2, nowNanos)) {
                stamps.add(nowNanos, hand.storeNanos());
                return TAKEN;
            }
            if (underWay != null && hand.isEmpty()) {
                if (trips.isAwaited(underWay, seen)) {
                    return AWAIT_SIGNAL;
                }
                continue;
            }
            FleetState next = seen.copy();
            next.undoStale(nowNanos);
            if (countsCalls) {
                next.undoOthers(permits);
            }
            if (isFirst) {
                next.undoBeyond(waiting);
            }
            if (next.hand().ripe(nowNanos) >= permits) {
                long storeNanos = next.hand().storeNanos(permits, nowNanos);
                next.takeRipe(permits, nowNanos);
                if (!isFirst) {
                    askAhead(next, permits, nowNanos);
                }
                if (trips.change(seen, next)) {
                    stamps.add(nowNanos, storeNanos);
                    return TAKEN;
                }
                continue;
            }
            long wait = waitFor(next, permits, waiting, isFirst, nowNanos);
            if (trips.publish(seen, next)) {
                if (!Trips.isNew(seen, next) || !trips.send(next.trip)) {
                    return wait;
                }
                if (round >= ROUNDS) {
                    return Math.min(wait, AGAIN_NANOS); // nobody signals an end that has been
                }
            }
        }
    }

    /** What a request that finds too little in hand does: waits for its booking, for the trip under way, or for a new one. */
    private long waitFor(FleetState next, int permits, long waiting, boolean isFirst, long nowNanos) {
        long booking = isFirst ? next.hand().untilBooking(permits, nowNanos) : -1;
        if (booking > 0) {
            bookAhead(next, permits, waiting - next.hand().permits(), nowNanos);
            return booking;
        }
        if (trips.leaseAhead() == 0) {
            next.undoAll();
        } else {
            next.undoBooked();
        }
        if (next.trip != null) {
            next.trip.markAwaited(); // and if it ends before what follows is published, all is looked at again
            return AWAIT_SIGNAL;
        }
        long denied = next.denied(permits, isFirst, nowNanos, manners.pollNanos());
        if (denied > 0) {
            return denied;
        }
        long gathering = trips.nanosToGather(waiting, nowNanos);
        if (gathering > 0) {
            return gathering;
        }
        trips.start(next, question(next, permits, waiting, isFirst), nowNanos);
        return AWAIT_SIGNAL;
    }

    /** Asks for all who wait; where nobody does, for what is to be kept in hand. */
    private Question question(FleetState next, int permits, long waiting, boolean isFirst) {
        return isFirst
                ? next.ask(permits, waiting, waiting, Long.MAX_VALUE, manners.aheadNanos())
                : next.ask(permits, Math.max(permits, trips.leaseAhead()), 0, 0, 0);
    }

    /** Books for those behind who have no booking: not whenever one more may, but when a quarter of the time ahead is left. */
    private void bookAhead(FleetState next, int permits, long unbooked, long nowNanos) {
        long ahead = manners.aheadNanos();
        if (next.trip == null && unbooked >= permits && next.known.untilBookable(nowNanos) <= ahead / 4) {
            trips.start(next, next.ask(permits, permits, unbooked, ahead, ahead), nowNanos);
        }
    }

    /** Fetches more for later, where that is wanted, before all is used up. */
    private void askAhead(FleetState next, int permits, long nowNanos) {
        long left = next.hand().ripe(nowNanos);
        int ahead = trips.leaseAhead();
        if (left < ahead / 2 && next.trip == null && next.denied(permits, false, nowNanos, manners.pollNanos()) == 0) {
            trips.start(next, next.ask(permits, ahead - left, 0, 0, 0));
        }
    }

    // Without the store

    @Override
    public @Nullable Throwable trouble(long nowNanos) {
        Outage outage = trips.state().out;
        return outage != null && outage.covers(nowNanos) && manners.whenUnavailable() == WhenUnavailable.REFUSE
                ? outage.cause()
                : null;
    }

    @Override
    public DecisionSource source(long nowNanos) {
        return trips.state().isOut(nowNanos) ? DecisionSource.FALLBACK : DecisionSource.REMOTE;
    }

    // Giving back

    @Override
    public void giveBack(int permits, long takenAtNanos, long nowNanos) {
        giveBack(permits, takenAtNanos, nowNanos, false);
    }

    @Override
    public void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
        if (released && returnsOnRelease) {
            return;
        }
        if (actual > taken) {
            charge(actual - taken, nowNanos);
        } else if (actual < taken) {
            giveBack(taken - actual, takenAtNanos, nowNanos, true);
        }
    }

    private void giveBack(int permits, long takenAtNanos, long nowNanos, boolean part) {
        if (permits == 0) {
            return;
        }
        int calls = part ? 0 : 1;
        if (trips.state().isOut(takenAtNanos)) {
            fallback.giveBack(permits, part, takenAtNanos, nowNanos);
            if (returnsOnRelease) {
                trips.tell((seen, next) -> next.release(permits, calls));
            }
            return;
        }
        trips.tell((seen, next) -> {
            next.undoBooked(); // those who wait may go earlier
            next.undo(new Slot(permits, stamps.storeTime(takenAtNanos), part), calls);
        });
    }

    @Override
    public void release(int permits, long nowNanos) {
        if (returnsOnRelease) {
            fallback.release(permits, nowNanos);
            trips.tell((seen, next) -> next.release(permits, 1));
        }
    }

    @Override
    public void charge(int permits, long nowNanos) {
        if (permits <= 0) {
            return;
        }
        if (trips.state().isOut(nowNanos)) {
            fallback.charge(permits, nowNanos);
            return;
        }
        boolean[] hadBooked = {false};
        trips.tell((seen, next) -> {
            hadBooked[0] = next.undoBooked();
            next.charge(permits);
        });
        if (hadBooked[0]) {
            trips.serveThoseWhoWait(); // those who wait come after the charge
        }
    }

    @Override
    public void standBack() {
        if (trips.state().hand().hasBooked()) {
            trips.tell((seen, next) -> next.undoBooked());
        }
    }

    // Telling

    @Override
    public long available(long nowNanos) {
        for (int round = 0; ; round++) {
            FleetState seen = trips.state();
            if (seen.isOut(nowNanos)) {
                return fallback.available(trips.limit(), nowNanos);
            }
            boolean isLatest = seen.trip != null || round == ROUNDS || seen.known.isFresh(nowNanos, 0);
            if (isLatest || !trips.look(seen, nowNanos)) {
                FleetState latest = trips.state();
                return latest.known.available(trips.limit().capacity())
                        + latest.hand().ripe(nowNanos);
            }
        }
    }

    @Override
    public long nanosUntil(long permits, long nowNanos) {
        return nanosUntil(permits - 1, 1, nowNanos);
    }

    @Override
    public long nanosUntil(long ahead, int permits, long nowNanos) {
        FleetState seen = trips.state();
        if (seen.isOut(nowNanos) || seen.hand().unbooked() >= ahead + permits) {
            return 0;
        }
        if (seen.isAsking()) {
            return AWAIT_SIGNAL; // what the store said before counts no more
        }
        long denied = ahead > 0 || seen.known.isDeniedWithoutEnd() ? 0 : seen.known.deniedExactly(permits, nowNanos);
        return denied > 0
                ? denied
                : seen.known.until(
                        ahead + permits, trips.limit().capacity(), Rates.periodNanos(trips.limit()), nowNanos);
    }

    /** As far as this node knows, without asking: what others have taken is none of its memory. */
    @Override
    public long nanosUntilFull(long nowNanos) {
        FleetState seen = trips.state();
        if (seen.isHoldingAny(nowNanos) || (returnsOnRelease && seen.isHolding())) {
            return AWAIT_SIGNAL;
        }
        long alone = seen.out == null ? 0 : fallback.nanosUntilFull(Rates.periodNanos(trips.limit()), nowNanos);
        return Math.max(alone, seen.known.untilFull(nowNanos));
    }

    @Override
    public long nanosSinceFull(long nowNanos) {
        return trips.state().known.sinceFull(nowNanos);
    }

    @Override
    public int capacity() {
        return trips.limit().capacity();
    }

    @Override
    public boolean returnsOnRelease() {
        return returnsOnRelease;
    }

    @Override
    public void reconfigure(Limit changed, long nowNanos) {
        trips.limit().newPolicy(nowNanos).reconfigure(changed, nowNanos); // which complains if it cannot be
        trips.limit(changed);
        fallback.reconfigure(changed, nowNanos);
        trips.tell((seen, next) -> {
            next.undoAll();
            next.forget(nowNanos);
            next.renew();
        });
    }
}
