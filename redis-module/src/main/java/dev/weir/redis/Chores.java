package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Deferred maintenance of one limit: renews held permits, gives back unused ones, probes the store in an outage, wakes waiters. */
final class Chores {

    private static final long SOON_NANOS = 1_000_000;

    private final Trips trips;
    private final WaiterNotifier waiters;
    private final Node node;
    private final TimeSource time;

    /** After how long to renew what is held, or zero if nothing is renewed. */
    private final long renewNanos;

    private final long lifeNanos;
    private final Chore<Chores> renewing = new Chore<>(this, Chores::renew);
    private final Chore<Chores> dropping = new Chore<>(this, Chores::dropStale);
    private final Chore<Chores> comingBack = new Chore<>(this, Chores::lookAgain);
    private final Chore<Chores> polling = new Chore<>(this, Chores::lookAgain);
    private final Chore<Chores> updating = new Chore<>(this, Chores::sendUpdates);

    /** Claimed also while this limit waits for its turn. */
    private final Chore<Chores> probing = new Chore<>(this, Chores::awaitTurn);

    /** Whether waiting requests of this limit look again in its turn. */
    private final AtomicBoolean isWaitedFor = new AtomicBoolean();

    /** Where this limit has a turn that has not ended. */
    private final AtomicReference<@Nullable ReportQueue> turn = new AtomicReference<>();

    Chores(Trips trips, WaiterNotifier waiters, Node node, TimeSource time, FleetTerms terms) {
        this.trips = trips;
        this.waiters = waiters;
        this.node = node;
        this.time = time;
        this.renewNanos = terms.returnsOnRelease() ? terms.settings().renewNanos() : 0;
        this.lifeNanos = terms.settings().lifeNanos();
    }

    /** Returns the clock of this limit, which queues borrow: they outlast the limits that wait in them, and must keep no clock. */
    TimeSource time() {
        return time;
    }

    /** Schedules the renewal of held permits. To be called with the state after an answer. */
    void renewLater(FleetState now) {
        if (renewNanos > 0 && now.pending().isHolding() && renewing.claim()) {
            node.holds(trips.reporter); // until renew(), so before that can run
            renewing.claimedIn(renewNanos, time);
        }
    }

    private void renew() {
        node.holdsNothing(trips.reporter);
        if (trips.state().pending().isHolding()) {
            trips.update(FleetState::renew);
            renewLater(trips.state());
        }
    }

    /** Schedules giving back stale permits, as others may wait for them; those leased ahead become stale later. */
    void dropLater() {
        dropLater(trips.state());
    }

    private void dropLater(FleetState now) {
        if (!now.hand().isEmpty()) {
            dropping.in(lifeNanos + 1, time);
        }
    }

    private void dropStale() {
        long now = time.nanoTime();
        if (trips.state().hand().hasStale(now)) {
            trips.update(next -> {
                next.undoStale(now);
                next.renew();
            });
        }
        FleetState left = trips.state();
        if (renewNanos > 0 || left.hand().hasStale(now + lifeNanos)) {
            dropLater(left);
        }
    }

    /** Has this limit probe the store in turn at that time, unless it is about to already. */
    void probeAt(long nanos) {
        probeIn(ClockReading.until(nanos, time));
    }

    /** Never on this thread: this may follow a failure that the client tells from inside its own writing. */
    private void probeIn(long nanos) {
        if (nanos <= 0) {
            waiters.runElsewhere(this::awaitTurn);
        } else {
            probing.in(nanos, time);
        }
    }

    private void awaitTurn() {
        if (probing.claim()) {
            trips.circuit().reports().enter(this);
        }
    }

    /** Returns whether to go on waiting for a turn. Otherwise later usage has this limit wait again. */
    boolean staysToReport() {
        probing.unclaim();
        return trips.state().out != null && trips.reporter.hasToReport() && probing.claim();
    }

    /** Probes the store. The turn ends with the trip that this began, or found in flight; if there is none, now. */
    void reportInTurn(ReportQueue given) {
        beginTurn(given);
        try {
            probe(given);
        } finally {
            endTurnWithoutTrip();
        }
    }

    /** Has the waiting requests look again. The turn ends with the trip that they begin, or find in flight; if there is none, then. */
    void comeBackInTurn(ReportQueue given) {
        beginTurn(given);
        waiters.runElsewhere(this::drainInTurn); // this may be a thread that must not run user code
    }

    private void drainInTurn() {
        isWaitedFor.set(false);
        try {
            waiters.drain();
        } finally {
            endTurnWithoutTrip();
        }
    }

    /** Takes a place. A limit has one: if it still holds one, that is given back. */
    private void beginTurn(ReportQueue given) {
        leave(turn.getAndSet(given));
    }

    private void endTurnWithoutTrip() {
        if (trips.state().trip == null) {
            endTurn();
        }
    }

    /** Ends the turn of this limit, if it has one: to be called when a trip has ended, after its end has been published. */
    void endTurn() {
        if (turn.get() != null) {
            leave(turn.getAndSet(null));
        }
    }

    /** Ends the turn of this limit, if it has one, after a failure. */
    void endTurnAfterFailure() {
        ReportQueue begun = turn.getAndSet(null);
        if (begun != null) {
            begun.leaveAfterFailure(time);
        }
    }

    /** If this limit has a turn in vain, as too many ask, has no others begin for a while. */
    void restTurns(Throwable cause, long nanos) {
        ReportQueue held = turn.get();
        if (held != null && cause instanceof TooManyCallsException) {
            boolean unused = held.rest(this, nanos);
        }
    }

    private static void leave(@Nullable ReportQueue begun) {
        if (begun != null) {
            begun.leave();
        }
    }

    /** Probes the store. Requests and updates probe it as well; once there is nothing left to report, this ends. */
    private void probe(ReportQueue given) {
        probing.unclaim();
        FleetState now = trips.state();
        if (now.out == null || now.trip != null || !trips.reporter.hasToReport()) {
            return; // the end of a trip in flight schedules this again
        }
        long left = ClockReading.until(now.out.retryNanos(), time);
        if (left > 0 && now.out.cause() instanceof TooManyCallsException && given.rest(this, left)) {
            probeIn(0); // the time of those behind it has not come, either
        } else if (left > 0) {
            probeIn(left);
        } else if (node.isLeaving()) {
            trips.reporter.leave(); // the node does not know of permits granted during the outage
        } else {
            trips.update(FleetState::renew);
        }
    }

    /** Returns after how long a question may be sent without a request; zero or less if now. */
    long nanosUntilProbe(Circuit circuit) {
        return ClockReading.until(circuit::nanosUntilProbe, time);
    }

    /** Schedules sending updates that no trip takes along, unless requests about to be made carry them; not in an outage. */
    void sendUpdatesSoon(FleetState now) {
        if (now.trip == null && now.out == null && now.hasUpdates()) {
            updating.in(SOON_NANOS, time);
        }
    }

    private void sendUpdates() {
        if (trips.state().isToSendUpdates(node.isInHaste(), time.nanoTime())) {
            trips.update(next -> {});
        }
    }

    /** Schedules the drain of the waiting requests for the next probe, or for now; not if the end of a trip in flight signals it. */
    void comeBackLater() {
        FleetState now = trips.state();
        if (!trips.awaitEnd(now) && comingBack.claim()) {
            long pause = now.out == null ? 0 : ClockReading.until(now.out.retryNanos(), time);
            comingBack.claimedIn(Math.max(NodeSettings.SOONEST_NANOS, pause), time);
        }
    }

    /** Schedules the drain of the waiting requests for a poll after the answer that denied them, or later; not if they wait no longer. */
    void pollLater(int permits, long longestNanos, long nowNanos) {
        long poll = trips.terms().settings().pollNanos();
        long left = poll == 0 ? Long.MAX_VALUE : trips.state().known.denial().nanosLeft(permits, nowNanos, poll);
        if (left < longestNanos) {
            pollIn(left > 0 ? left : poll, nowNanos);
        }
    }

    /** Later if very many limits poll, and not at all if the end of a trip has the requests look. */
    private void pollIn(long nanos, long nowNanos) {
        if (!trips.awaitEnd(trips.state()) && polling.claim()) {
            polling.claimedIn(trips.circuit().polls().book(nanos, nowNanos), time);
        }
    }

    /** After an outage the requests of few limits at a time look again, as those of very many may wait. */
    private void lookAgain() {
        ReportQueue turns = trips.state().out == null ? null : trips.circuit().reports();
        if (turns == null || nanosUntilProbe(trips.circuit()) > 0) {
            waiters.drain();
        } else if (isWaitedFor.compareAndSet(false, true)) {
            turns.enterFirst(this);
        }
    }
}
