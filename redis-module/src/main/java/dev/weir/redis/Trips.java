package dev.weir.redis;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The state of one limit on this node, and its requests (trips) to the store: each state change may begin or end a trip. */
final class Trips {

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Trips.class, "state", FleetState.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Store store;
    private final Node node;
    private final Circuits.OfOneClock circuits;
    private final TimeSource time;
    private final Fallback fallback;
    private final Chores chores;
    final WaiterNotifier waiters;
    private volatile FleetState state;
    private volatile FleetTerms terms;

    /** The terms the store last wrote, as far as this node knows: the previous ones until a changed limit has been written. */
    private volatile FleetTerms writtenTerms;

    /** The latest trip sent to the store. */
    private volatile @Nullable Trip sent;

    private final Ending ending = new Ending();

    Trips(FleetTerms terms, Store store, Node node, TimeSource time, Fallback fallback, long nowNanos) {
        this.terms = terms;
        this.writtenTerms = terms;
        this.store = store;
        this.node = node;
        this.circuits = node.circuits.of(time);
        this.time = time;
        this.fallback = fallback;
        this.waiters = new WaiterNotifier(time);
        this.chores = new Chores(this, waiters, node, time, terms);
        this.state = new FleetState(nowNanos);
    }

    FleetState state() {
        return state;
    }

    FleetTerms terms() {
        return terms;
    }

    /** Throws if the store cannot enforce a limit. */
    void check(Limit changed) {
        store.check(changed);
    }

    FleetTerms reconfigure(Limit changed) {
        FleetTerms made = new FleetTerms(changed, terms.settings());
        terms = made;
        return made;
    }

    /** Asks the store for its state. Returns whether the state is worth reading again now. */
    boolean refresh(FleetState seen, long nowNanos) {
        FleetState next = seen.successor();
        start(next, next.ask(Wanted.NOTHING), nowNanos);
        return !publish(seen, next) || send(next.trip);
    }

    /** Replaces the state if it is still the one seen. Updates for which it has begun no trip are sent soon. */
    boolean publish(FleetState seen, FleetState next) {
        if (!STATE.compareAndSet(this, seen, next)) {
            return false;
        }
        chores.sendUpdatesSoon(next);
        return true;
    }

    /** Begins a trip for a request made at that time. If it cannot be sent, this node decides that request, too, on its own. */
    Trip start(FleetState next, Question question, long nowNanos) {
        return start(next, question, next.countedByShare(question, nowNanos), nowNanos);
    }

    private Trip start(FleetState next, Question question, long counted, long nowNanos) {
        Trip trip = new Trip(this, time, writing(next, question), counted, nowNanos);
        next.trip = trip;
        return trip;
    }

    /**
     * Has a changed limit written, or the state would expire, or fill, as it would by the one before. In an outage, too, something has
     * to be written: a server that answers reads alone is not back.
     */
    private Question writing(FleetState next, Question question) {
        return writtenTerms == terms && next.out == null ? question : question.writing();
    }

    /** Returns the time. If the clock throws, returns an earlier one, so that usage counts longer, never shorter. */
    private long now() {
        return ClockReading.or(state.recovery.sinceNanos(), time);
    }

    /** Publishes a change, and sends the trip it may have begun. Returns false if the state had changed meanwhile. */
    boolean change(FleetState seen, FleetState next) {
        if (!publish(seen, next)) {
            return false;
        }
        if (next.hasBegunTripSince(seen)) {
            send(next.trip);
        }
        return true;
    }

    /** Sends a trip, if the store may be asked. Returns whether the trip has ended already. */
    boolean send(@Nullable Trip trip) {
        if (trip == null) {
            return true;
        }
        Circuit circuit = circuit();
        Outage reason = whyNotToAsk(trip, circuit);
        if (reason != null) {
            waiters.signalIf(goOnAlone(reason, trip) || trip.isAwaited());
            return true;
        }
        sent = trip;
        try {
            trip.begin(circuit);
            store.ask(trip.terms.limit(), trip.question, trip);
        } catch (Throwable refused) {
            trip.failed(refused);
        }
        return !trip.awaitAnswer();
    }

    /** Returns the outage that keeps a question from being sent, or null. Of one limit the store has at most one question. */
    private @Nullable Outage whyNotToAsk(Trip trip, Circuit circuit) {
        Trip before = sent;
        long now = trip.begunNanos;
        if (before != null && !before.isLetGo()) {
            long retry = now + circuit.shortPause();
            TimeoutException cause = new TimeoutException("still no answer");
            node.stillWaits(cause, now - before.begunNanos);
            return new Outage(now, retry, now + Circuit.LONGEST_NANOS, cause);
        }
        if (!circuit.mayAsk(now) && !node.isInHaste()) {
            return circuit.untilPauseIsOver(now);
        }
        return null;
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

    /**
     * Returns after how long a refused request should retry to find the permits being fetched: when the answer arrives at the
     * latest, or sooner, if permits might not be kept for so long. If the answer is overdue, returns the shortest time.
     */
    long nanosToComeBack(long nowNanos) {
        FleetState seen = state;
        Trip underWay = seen.trip;
        if (underWay == null || seen.isOut(nowNanos)) {
            return PermitPolicy.AWAIT_SIGNAL;
        }
        long kept = seen.known.tookNanos() + terms.settings().lifeNanos() / 2;
        return Math.max(NodeSettings.SOONEST_NANOS, Math.min(underWay.nanosLeft(nowNanos), kept));
    }

    /** Returns whether there is no time to retry at: permits return only when leases end, or this node is in an outage. */
    boolean hasNoRetryTime(long nowNanos) {
        FleetState now = state;
        return now.isOut(nowNanos) || (now.trip == null && now.known.denial().isWithoutEnd());
    }

    /** Returns whether the store may still receive or answer a question that this node has given up. */
    boolean isOverdue() {
        Trip latest = sent;
        return latest != null && !latest.isLetGo() && state.trip != latest;
    }

    void answered(Trip trip, Answer answer, boolean hasSenderLeft, long now) {
        trip.circuit().answered(trip.question.hasWritten(answer));
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
            next = seen.successor();
            next.answered(trip.question, answer, terms, now - trip.begunNanos, now);
            if (ending.hasBegun() || trip.terms != terms) {
                next.undoAll();
            }
            if (outage != null) {
                next.owe(owed);
                next.back(outage, now, terms.settings().recoveryNanos());
            }
            // A request that waited while updates were sent asks now, and sends the rest: else updates might starve it.
            boolean isToBeAsked = trip.isAwaited() && trip.question.one() == 0 && outage == null && !ending.hasBegun();
            if (next.hasUpdates() && (!isToBeAsked || next.hasManyUpdates())) {
                Question rest = next.ask(Wanted.NOTHING);
                long counted = outage == null ? next.countedByShare(rest, now) : 0;
                start(next, rest, counted, now);
            }
        } while (!change(seen, next));
        chores.renewLater(next);
        // While the sender is still in send() it finds the answer. Who waits for the share does not know of the trip.
        if (hasSenderLeft || outage != null || trip.isAwaited()) {
            waiters.runElsewhere(() -> serve(answer.granted()));
        }
        chores.hasReported();
        report();
    }

    void failed(Trip trip, Throwable cause, boolean hasSenderLeft, long now) {
        Trip unsent = Symptoms.hasDoneNothing(cause) ? trip : null;
        long pause = trip.circuit().pauseAfter(cause, trip.begunNanos, now);
        chores.restTurns(cause, pause);
        Outage begun = Outage.after(cause, hasSenderLeft ? now : trip.begunNanos, pause, now);
        waiters.signalIf(goOnAlone(begun, unsent) || hasSenderLeft || trip.isAwaited());
        node.hasFailed(cause, trip.circuit());
    }

    /**
     * Begins an outage, or goes on with it. Returns whether waiting requests have to look again: they may have been booked for, or
     * wait for as long as the store has told. Updates of a question never sent remain: its charges as if made now.
     */
    private boolean goOnAlone(Outage begun, @Nullable Trip unsent) {
        FleetState seen;
        FleetState next;
        do {
            seen = state;
            next = seen.successor();
            next.failed(begun, ClockReading.or(begun.sinceNanos(), time)); // who took of the ended hand read it before
            if (unsent != null) {
                next.notSent(unsent.question);
            }
        } while (!publish(seen, next));
        if (unsent != null) {
            fallback.recordAgain(unsent.question.owed(), unsent.counted, terms(), begun.sinceNanos());
        }
        chores.hasFailed();
        report();
        return seen.out == null || seen.hand().hasBooked();
    }

    /** Serves waiting requests. Permits left, as their requests have gone, are given back soon. */
    private void serve(long permits) {
        waiters.serve(permits);
        dropLater();
    }

    /** Changes the pending updates, and sends them: at once, with the next trip, or with the next probe. Returns the state before. */
    FleetState update(Consumer<FleetState> what) {
        FleetState seen;
        FleetState next;
        do {
            seen = state;
            next = seen.successor();
            what.accept(next);
            startForUpdates(next);
        } while (!change(seen, next));
        report();
        return seen;
    }

    /** If the clock throws, the updates are sent soon, or with a probe. */
    private void startForUpdates(FleetState next) {
        try {
            long now = time.nanoTime();
            if (next.isToSendUpdates(node.isInHaste(), now)) {
                start(next, next.ask(Wanted.NOTHING), now);
            }
        } catch (Throwable broken) {
            return;
        }
    }

    /** Returns the circuit of the server that a question would go to now. */
    Circuit circuit() {
        return circuits.of(store.server());
    }

    /** Has usage and leases reported: in an outage by a probe, though nobody asks; after it, what was recorded as it ended. */
    void report() {
        Outage outage = state.out;
        if (outage != null && state.trip == null && hasToReport()) { // the end of a trip in flight leads here again
            chores.probeAt(outage.probeNanos());
        } else if (outage == null && fallback.isOwing()) {
            Owed late = fallback.takeOwed(terms, now());
            update(next -> next.owe(late));
        }
    }

    /** Returns whether to report to the store when it is back, even without requests: leases, or usage, while that counts. */
    boolean hasToReport() {
        if (node.isDisconnected()) {
            return false;
        }
        FleetState now = state;
        long nanos = now();
        long counts = fallback.nanosUntilFull(terms.periodNanos(), nanos);
        boolean endsByItself = counts > 0 && counts < PermitPolicy.AWAIT_SIGNAL; // a lease may be out for good
        if (endsByItself && !node.isLeaving()) {
            return true;
        }
        long matters = terms.mattersNanos();
        return !(ending.isPastBy(matters, nanos) && now.hasBeenOutFor(matters, nanos))
                && ((now.isHoldingOrOnRecord() && terms.returnsOnRelease())
                        || now.hasUpdates()
                        || writtenTerms != terms
                        || counts > 0);
    }

    /** Gives back the permits in hand, and those of an answer in flight when it arrives: there are no more requests. */
    void close() {
        ending.begin(now()); // seen by an answer that arrives after the change
        update(next -> next.undoAll());
    }

    /** Gives back all held permits, even those in use: this node is leaving. Throws what the clock throws: nothing could be sent. */
    void leave() {
        ending.begin(time.nanoTime());
        update(next -> next.leave());
    }

    /** Schedules giving back unused permits. */
    void dropLater() {
        chores.dropLater(state);
    }

    /** Schedules the drain of the waiting requests for a poll after the answer that denied them, or later; not if they wait no longer. */
    void pollLater(int permits, long longestNanos, long nowNanos) {
        long poll = terms.settings().pollNanos();
        long left = poll == 0 ? Long.MAX_VALUE : state.known.denial().nanosLeft(permits, nowNanos, poll);
        if (left < longestNanos) {
            chores.pollIn(left > 0 ? left : poll, nowNanos);
        }
    }

    /** Schedules the drain of the waiting requests for the next probe, unless the end of a probe in flight signals it. */
    void comeBackLater() {
        FleetState now = state;
        if (!awaitEnd(now)) {
            chores.comeBackAfter(now.out);
        }
    }
}
