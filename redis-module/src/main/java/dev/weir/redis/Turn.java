package dev.weir.redis;

import dev.weir.time.TimeSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The turn of one limit at a server that was away, which many limits have to ask again: waiting for it, to probe the server or to have the
 * waiting requests look again, and the place that the limit has meanwhile.
 */
final class Turn {

    private final Trips trips;
    private final Node node;
    private final TimeSource time;

    /** Claimed also while this limit waits for its turn. */
    private final Chore<Turn> probing = new Chore<>(this, Turn::awaitTurn);

    /** Whether waiting requests of this limit look again in its turn. */
    private final AtomicBoolean isWaitedFor = new AtomicBoolean();

    /** Where this limit has a turn that has not ended. */
    private final AtomicReference<@Nullable ReportQueue> place = new AtomicReference<>();

    Turn(Trips trips, Node node, TimeSource time) {
        this.trips = trips;
        this.node = node;
        this.time = time;
    }

    /** Returns the clock of this limit, which queues borrow: they outlast the limits that wait in them, and must keep no clock. */
    TimeSource time() {
        return time;
    }

    // Waiting for it

    /** Has this limit probe the store in turn at that time, unless it is about to already. */
    void probeAt(long nanos) {
        probeIn(ClockReading.until(nanos, time));
    }

    /** Never on this thread: this may follow a failure that the client tells from inside its own writing. */
    private void probeIn(long nanos) {
        if (nanos <= 0) {
            trips.waiters.runElsewhere(this::awaitTurn);
        } else {
            probing.in(nanos, time);
        }
    }

    private void awaitTurn() {
        if (probing.claim()) {
            trips.server().reports().enter(this);
        }
    }

    /** Returns whether to go on waiting for a turn. Otherwise later usage has this limit wait again. */
    boolean staysToReport() {
        probing.unclaim();
        return trips.state().out != null && trips.reporter.hasToReport() && probing.claim();
    }

    /** Has the waiting requests look again in turn, unless they are about to already. Returns false if the server is not to be asked yet. */
    boolean comeBack() {
        Server server = trips.server();
        if (nanosUntilProbe(server.circuit()) > 0) {
            return false;
        }
        if (isWaitedFor.compareAndSet(false, true)) {
            server.reports().enterFirst(this);
        }
        return true;
    }

    /** Returns after how long a question may be sent without a request; zero or less if now. */
    long nanosUntilProbe(Circuit circuit) {
        return ClockReading.until(circuit::nanosUntilProbe, time);
    }

    // Having it

    /** Probes the store. The turn ends with the trip that this began, or found in flight; if there is none, now. */
    void beginToReport(ReportQueue given) {
        begin(given);
        try {
            probe(given);
        } finally {
            endWithoutTrip();
        }
    }

    /** Has the waiting requests look again. The turn ends with the trip that they begin, or find in flight; if there is none, then. */
    void beginToComeBack(ReportQueue given) {
        begin(given);
        trips.waiters.runElsewhere(this::drain); // this may be a thread that must not run user code
    }

    private void drain() {
        isWaitedFor.set(false);
        try {
            trips.waiters.drain();
        } finally {
            endWithoutTrip();
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

    /** If this limit has a turn in vain, as too many ask, has no others begin for a while. */
    void restAfter(Throwable cause, long nanos) {
        ReportQueue held = place.get();
        if (held != null && cause instanceof TooManyCallsException) {
            boolean unused = held.rest(this, nanos);
        }
    }

    // The place

    /** Takes a place. A limit has one: if it still holds one, that is given back. */
    private void begin(ReportQueue given) {
        endAt(place.getAndSet(given));
    }

    private void endWithoutTrip() {
        if (trips.state().trip == null) {
            end();
        }
    }

    /** Ends the turn, if there is one: to be called when a trip has ended, after its end has been published. */
    void end() {
        if (place.get() != null) {
            endAt(place.getAndSet(null));
        }
    }

    /** Ends the turn, if there is one, after a failure. */
    void endAfterFailure() {
        ReportQueue begun = place.getAndSet(null);
        if (begun != null) {
            begun.endTurnAfterFailure(time);
        }
    }

    private static void endAt(@Nullable ReportQueue begun) {
        if (begun != null) {
            begun.endTurn();
        }
    }
}
