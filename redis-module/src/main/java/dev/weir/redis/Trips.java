package dev.weir.redis;

import dev.weir.handle.Handles;
import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** The state of one limit on this node, and its requests (trips) to the store: each state change may begin or end a trip. */
final class Trips {

    private static final VarHandle STATE =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(Trips.class, "state", FleetState.class));

    final WaiterNotifier waiters;
    final Chores chores;
    final Turn turn;
    final Reporter reporter;
    private final TripSender sender;
    private final Node node;
    private final TimeSource time;
    private final Fallback fallback;
    private volatile FleetState state;
    private volatile FleetTerms terms;

    /** The terms the store last wrote, as far as this node knows: the previous ones until a changed limit has been written. */
    private volatile FleetTerms writtenTerms;

    Trips(FleetTerms terms, Store store, Node node, TimeSource time, Fallback fallback, long nowNanos) {
        this.terms = terms;
        this.writtenTerms = terms;
        this.node = node;
        this.time = time;
        this.fallback = fallback;
        this.sender = new TripSender(store, node, time);
        this.waiters = new WaiterNotifier(time);
        this.chores = new Chores(this, waiters, node, time, terms);
        this.turn = new Turn(this, node, time);
        this.reporter = new Reporter(this, turn, fallback, node, time);
        this.state = new FleetState(Held.nothingOf(terms), nowNanos);
    }

    FleetState state() {
        return state;
    }

    FleetTerms terms() {
        return terms;
    }

    /** Throws if the store cannot enforce a limit. */
    void check(Limit changed) {
        sender.check(changed);
    }

    FleetTerms reconfigure(Limit changed) {
        FleetTerms made = new FleetTerms(changed, terms.settings());
        terms = made;
        return made;
    }

    /** Returns whether the store goes by the present terms, as far as this node knows. */
    boolean areTermsWritten() {
        return writtenTerms == terms;
    }

    /** Replaces the state if it is still the one seen. Updates for which it has begun no trip are sent soon. */
    boolean publish(FleetState seen, FleetState next) {
        if (!STATE.compareAndSet(this, seen, next)) {
            return false;
        }
        chores.sendUpdatesSoon(next);
        return true;
    }

    /** Asks the store for its state, unless the state here is no longer the one seen. */
    void refresh(FleetState seen, long nowNanos) {
        FleetState next = seen.successor();
        Trip trip = start(next, next.ask(Wanted.NOTHING), nowNanos);
        if (publish(seen, next)) {
            send(trip);
        }
    }

    /** Begins a trip for a request made at that time. If it cannot be sent, this node decides that request, too, on its own. */
    Trip start(FleetState next, Question question, long nowNanos) {
        Trip trip = new Trip(this, time, writing(next, question), nowNanos);
        next.trip = trip;
        return trip;
    }

    /**
     * Has a changed limit written, or the state would expire, or fill, as it would by the one before. In an outage, too, something has
     * to be written: a server that answers reads alone is not back.
     */
    private Question writing(FleetState next, Question question) {
        return areTermsWritten() && next.out == null ? question : question.writing();
    }

    /** Publishes a change, and sends the trip it may have begun. Returns false if the state had changed meanwhile. */
    boolean change(FleetState seen, FleetState next) {
        if (!publish(seen, next)) {
            return false;
        }
        Trip begun = next.tripBegunSince(seen);
        if (begun != null) {
            send(begun);
        }
        return true;
    }

    /** Sends a trip, if the store may be asked; it may have ended then. */
    void send(Trip trip) {
        try {
            Outage reason = sender.send(trip);
            if (reason == null) {
                trip.awaitAnswer();
            } else {
                waiters.signalIf(goOnAlone(reason, trip, true) || trip.isAwaited());
            }
        } catch (Throwable error) {
            lost(trip, error);
            throw error;
        }
    }

    /**
     * An error, as for want of memory or stack, has kept a trip from being sent or from ending. If it is still under way it ends here, or
     * all requests would wait for it for ever. If the error strikes here, too, who comes later finds the trip ({@link #endIfLost}).
     */
    void lost(Trip trip, Throwable error) {
        Outage begun = Outage.after(error, trip.begunNanos, Circuit.LONGEST_NANOS, trip.begunNanos);
        waiters.signalIf(goOnAlone(begun, trip, false));
    }

    /** Ends a trip that should have ended long ago. Returns whether there was one. */
    boolean endIfLost(FleetState seen, long nowNanos) {
        Trip underWay = seen.trip;
        if (underWay == null || !underWay.isLost(nowNanos)) {
            return false;
        }
        lost(underWay, new TimeoutException("no answer in time, and nobody to tell"));
        return true;
    }

    /** Marks a trip in flight as awaited. Returns whether its end will be signalled; if not, there is none, or the state has changed. */
    boolean awaitEnd(FleetState seen) {
        Trip underWay = seen.trip;
        if (underWay == null) {
            return false;
        }
        underWay.markAwaited();
        return state == seen;
    }

    /** Returns whether the store may still receive or answer a question that this node has given up. */
    boolean isOverdue() {
        Trip unanswered = sender.unanswered();
        return unanswered != null && state.trip != unanswered;
    }

    /** To be called when the client lets go of the question of a trip, which may have ended before. */
    void letGo(Trip trip) {
        sender.letGo(trip);
    }

    void answered(Trip trip, Answer answer, boolean hasSenderLeft, long now) {
        trip.server().circuit().answered(trip.question.hasWritten(answer));
        if (trip.question.writes()) {
            writtenTerms = trip.terms;
        }
        // Usage admitted alone is charged once all undone is sent. Only the trip in flight begins or ends an outage.
        Outage outage = state.hasManyUpdates() ? null : state.out;
        Owed owed = outage == null ? Owed.NOTHING : fallback.takeOwed(terms, now);
        FleetState seen;
        FleetState next;
        do {
            seen = state;
            if (seen.trip != trip) { // lost, and ended as such
                update(later -> later.owe(owed));
                return;
            }
            next = seen.successor();
            next.answered(trip.question, answer, terms, now - trip.begunNanos, now);
            if (reporter.hasEnded() || trip.terms != terms) {
                next.undoAll();
            }
            if (outage != null) {
                next.owe(owed);
                next.back(outage, now, terms.settings().recoveryNanos());
            }
            startForRest(next, trip, outage != null, now);
        } while (!change(seen, next));
        chores.renewLater(next);
        // While the sender is still in send() it finds the answer. Who waits for the share does not know of the trip.
        if (hasSenderLeft || outage != null || trip.isAwaited()) {
            waiters.runElsewhere(() -> serve(answer.granted()));
        }
        turn.end();
        reporter.report();
    }

    /** Begins a trip for the updates left. A request that waited while others were sent takes them along: else they might starve it. */
    private void startForRest(FleetState next, Trip ended, boolean wasOut, long nowNanos) {
        boolean asksNow = ended.isAwaited() && ended.question.one() == 0 && !wasOut && !reporter.hasEnded();
        if (next.hasUpdates() && (!asksNow || next.hasManyUpdates())) {
            start(next, next.ask(Wanted.NOTHING), nowNanos);
        }
    }

    void failed(Trip trip, Throwable cause, boolean hasSenderLeft, long now) {
        long pause = trip.server().circuit().pauseAfter(cause, trip.begunNanos, now);
        turn.restAfter(cause, pause);
        Outage begun = Outage.after(cause, hasSenderLeft ? now : trip.begunNanos, pause, now);
        waiters.signalIf(goOnAlone(begun, trip, Symptoms.hasDoneNothing(cause)) || hasSenderLeft || trip.isAwaited());
        node.hasFailed(cause, trip.server().circuit());
    }

    /**
     * Begins an outage, or goes on with it, as a trip has failed, if that is still under way. Returns whether waiting requests have to
     * look again: they may have been booked for, or wait for as long as the store has told. Updates of a question never sent remain: its
     * charges as if made now.
     */
    private boolean goOnAlone(Outage begun, Trip failed, boolean isUnsent) {
        FleetState seen;
        FleetState next;
        do {
            seen = state;
            if (seen.trip != failed) {
                return false;
            }
            next = seen.successor();
            next.failed(begun, ClockReading.or(begun.sinceNanos(), time)); // who took of the ended hand read it before
            if (isUnsent) {
                next.notSent(failed.question);
            }
        } while (!publish(seen, next));
        if (isUnsent) {
            fallback.recordAgain(failed.question.owed(), terms(), begun.sinceNanos());
        }
        turn.endAfterFailure();
        reporter.reportAfterFailure();
        return seen.out == null || seen.hand().hasBooked();
    }

    /** Serves waiting requests. Permits left, as their requests have gone, are given back soon. */
    private void serve(long permits) {
        waiters.serve(permits);
        chores.dropLater();
    }

    /** Changes the pending updates, and sends them: at once, with the next trip, or with the next probe. Returns the state before. */
    FleetState update(Consumer<FleetState> what) {
        FleetState seen;
        FleetState next;
        do {
            seen = stateWithoutLost();
            next = seen.successor();
            what.accept(next);
            startForUpdates(next);
        } while (!change(seen, next));
        reporter.report();
        return seen;
    }

    /** Gives up a lost trip first: no request may come that would. */
    private FleetState stateWithoutLost() {
        FleetState seen = state;
        boolean isEnded = seen.trip != null && endIfLost(seen, ClockReading.or(seen.trip.begunNanos, time));
        return isEnded ? state : seen;
    }

    /** If the clock throws, the updates are sent soon, or with a probe. */
    private void startForUpdates(FleetState next) {
        long now;
        try {
            now = time.nanoTime();
        } catch (Throwable broken) {
            return;
        }
        if (next.isToSendUpdates(node.isInHaste(), now)) {
            start(next, next.ask(Wanted.NOTHING), now);
        }
    }

    /** Returns the server that a question would go to now. */
    Server server() {
        return sender.server();
    }
}
