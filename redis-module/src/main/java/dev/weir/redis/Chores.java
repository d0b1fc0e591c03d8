package dev.weir.redis;

import dev.weir.time.TimeSource;

/** Deferred maintenance of one limit: renews held permits, gives back unused ones, sends updates, wakes waiters. */
final class Chores {

    private static final long SOON_NANOS = 1_000_000;

    private final Trips trips;
    private final WaiterNotifier waiters;
    private final Node node;
    private final TimeSource time;

    private final long renewNanos;
    private final long lifeNanos;
    private final Chore<Chores> renewing = new Chore<>(this, Chores::renew);
    private final Chore<Chores> dropping = new Chore<>(this, Chores::dropStale);
    private final Chore<Chores> comingBack = new Chore<>(this, Chores::lookAgain);
    private final Chore<Chores> polling = new Chore<>(this, Chores::lookAgain);
    private final Chore<Chores> updating = new Chore<>(this, Chores::sendUpdates);

    Chores(Trips trips, WaiterNotifier waiters, Node node, TimeSource time, FleetTerms terms) {
        this.trips = trips;
        this.waiters = waiters;
        this.node = node;
        this.time = time;
        this.renewNanos = terms.settings().renewNanos();
        this.lifeNanos = terms.settings().lifeNanos();
    }

    /** Schedules the renewal of held permits. To be called with the state after an answer. */
    void renewLater(FleetState now) {
        if (now.held().isAny() && renewing.claim()) {
            node.holds(trips.reporter); // until renew(), so before that can run
            renewing.claimedIn(Math.max(NodeSettings.SOONEST_NANOS, renewNanos), time);
        }
    }

    private void renew() {
        node.holdsNothing(trips.reporter);
        if (trips.state().held().isAny()) {
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
        if (trips.terms().returnsOnRelease() || left.hand().hasStale(now + lifeNanos)) {
            dropLater(left);
        }
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
        long left = trips.state().known.denial().nanosUntilPoll(permits, nowNanos, poll);
        if (left < longestNanos) {
            pollIn(left > 0 ? left : poll, nowNanos);
        }
    }

    /** Later if very many limits poll, and not at all if the end of a trip has the requests look. */
    private void pollIn(long nanos, long nowNanos) {
        if (!trips.awaitEnd(trips.state()) && polling.claim()) {
            polling.claimedIn(trips.server().polls().book(nanos, nowNanos), time);
        }
    }

    /** After an outage the requests of few limits at a time look again, as those of very many may wait. */
    private void lookAgain() {
        if (trips.state().out == null || !trips.turn.comeBack()) {
            waiters.drain();
        }
    }
}
