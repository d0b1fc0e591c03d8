package dev.weir.redis;

import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;

/**
 * What a limit tells the store though nobody asks: usage and leases, in an outage by a probe and after it at once; and, when the limiter
 * ends, what is given back. After that end it tells only what still matters to others.
 */
final class Reporter {

    private final Trips trips;
    private final Turn turn;
    private final Fallback fallback;
    private final Node node;
    private final TimeSource time;
    private final Ending ending = new Ending();

    Reporter(Trips trips, Turn turn, Fallback fallback, Node node, TimeSource time) {
        this.trips = trips;
        this.turn = turn;
        this.fallback = fallback;
        this.node = node;
        this.time = time;
    }

    /** Has usage and leases reported: in an outage by a probe, though nobody asks; after it, what was recorded as it ended. */
    void report() {
        probeInOutage();
        if (owesAfterOutage()) {
            Owed late = fallback.takeOwed(trips.terms(), now());
            trips.update(next -> next.owe(late));
        }
    }

    /** As {@link #report}, but sends nothing on this thread: a client may tell a failure from inside its own writing. */
    void reportAfterFailure() {
        probeInOutage();
        if (owesAfterOutage()) {
            trips.waiters.runElsewhere(this::report);
        }
    }

    /** Sends nothing on this thread. */
    private void probeInOutage() {
        FleetState now = trips.state();
        if (now.out != null && now.trip == null && hasToReport()) { // the end of a trip in flight leads here again
            turn.probeAt(now.out.probeNanos());
        }
    }

    private boolean owesAfterOutage() {
        return trips.state().out == null && fallback.isOwing();
    }

    /** Returns whether to report to the store when it is back, even without requests: leases, or usage, while that counts. */
    boolean hasToReport() {
        if (node.isDisconnected()) {
            return false;
        }
        FleetState now = trips.state();
        FleetTerms terms = trips.terms();
        long nanos = now();
        long counts = fallback.nanosUntilFull(terms.periodNanos(), nanos);
        boolean endsByItself = counts > 0 && counts < PermitPolicy.AWAIT_SIGNAL; // a lease may be out for good
        if (endsByItself && !node.isLeaving()) {
            return true;
        }
        long matters = terms.mattersNanos();
        return !(ending.isPastBy(matters, nanos) && now.hasBeenOutFor(matters, nanos))
                && (now.isHoldingOrOnRecord() || now.hasUpdates() || !trips.areTermsWritten() || counts > 0);
    }

    /** Gives back the permits in hand, and those of an answer in flight when it arrives: there are no more requests. */
    void close() {
        ending.begin(now()); // seen by an answer that arrives after the change
        trips.update(FleetState::undoAll);
    }

    /** Gives back all held permits, even those in use: this node is leaving. Throws what the clock throws: nothing could be sent. */
    void leave() {
        ending.begin(time.nanoTime());
        trips.update(FleetState::leave);
    }

    boolean hasEnded() {
        return ending.hasBegun();
    }

    /** Returns the time. If the clock throws, returns an earlier one, so that usage counts longer, never shorter. */
    private long now() {
        return ClockReading.or(trips.state().recovery.sinceNanos(), time);
    }
}
