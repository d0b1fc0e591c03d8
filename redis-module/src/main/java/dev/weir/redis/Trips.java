package dev.weir.redis;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.limit.TokenBucket;
import dev.weir.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The state of one limit on this node, and the trips to its store: changes of the state, each of which may begin or end a trip. */
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
    private final Circuit circuit;
    private final TimeSource time;
    private final Manners most;
    private final Fallback fallback;
    private final long settleNanos;
    private final Chores chores;
    private final ThoseWhoWait waiting;
    private volatile FleetState state;
    private volatile Limit limit;
    private volatile Manners manners;

    /** The latest that went to the store. */
    private volatile @Nullable Trip sent;

    private volatile boolean closed;

    Trips(
            Limit limit,
            Store store,
            Node node,
            TimeSource time,
            Manners manners,
            Fallback fallback,
            boolean returnsOnRelease,
            long nowNanos) {
        this.limit = limit;
        this.store = store;
        this.circuit = node.circuit;
        this.time = time;
        this.most = manners;
        this.manners = manners.under(limit);
        this.fallback = fallback;
        this.settleNanos = Rates.periodNanos(limit) == 0 ? 0 : manners.settleNanos();
        this.waiting = new ThoseWhoWait(time);
        this.chores = new Chores(this, node, time, returnsOnRelease ? manners.renewNanos() : 0, manners.lifeNanos());
        this.state = new FleetState(nowNanos);
    }

    FleetState state() {
        return state;
    }

    Limit limit() {
        return limit;
    }

    /** Complains if a limit cannot be kept in the store. */
    void check(Limit changed) {
        store.check(changed);
    }

    void limit(Limit changed) {
        limit = changed;
        manners = most.under(changed);
    }

    /** How many permits to keep in hand, of the limit as it is. */
    int leaseAhead() {
        return manners.leaseAhead();
    }

    void signalTo(Runnable toCall) {
        waiting.signalTo(toCall);
    }

    void serveThoseWhoWait() {
        waiting.lookAfter();
    }

    Throwable latestCause() {
        return circuit.cause();
    }

    /** Asks how things are. Tells whether it is worth looking again now. */
    boolean look(FleetState seen, long nowNanos) {
        FleetState next = seen.copy();
        start(next, next.askNothing(), nowNanos);
        return !publish(seen, next) || send(next.trip);
    }

    /** Replaces the state if it is still that. */
    boolean publish(FleetState seen, FleetState next) {
        return STATE.compareAndSet(this, seen, next);
    }

    Trip start(FleetState next, Question question) {
        return start(next, question, time.nanoTime());
    }

    /** Begins a trip for a request of that time. If it cannot be sent, this node decides about that request, too. */
    Trip start(FleetState next, Question question, long nowNanos) {
        Trip trip = new Trip(this, question, 0, nowNanos);
        next.trip = trip;
        return trip;
    }

    static boolean isNew(FleetState seen, FleetState next) {
        return next.trip != seen.trip && next.trip != null;
    }

    /** Publishes a change, and sends the trip that it may have begun. Tells whether it was the next one. */
    boolean change(FleetState seen, FleetState next) {
        if (!publish(seen, next)) {
            return false;
        }
        if (isNew(seen, next)) {
            send(next.trip);
        }
        return true;
    }

    /** Tells whether the trip is over already. */
    boolean send(@Nullable Trip trip) {
        if (trip == null) {
            return true;
        }
        if (!mayAsk(trip)) {
            signalIf(trip.isAwaited());
            return true;
        }
        sent = trip;
        try {
            store.ask(trip.limit, trip.question, trip);
        } catch (RuntimeException | Error refused) {
            trip.failed(refused);
        }
        return !trip.awaitAnswer(time, manners.deadlineNanos());
    }

    /** Asks whether to ask; if not, goes on without. Of one limit the store never has more than one question. */
    private boolean mayAsk(Trip trip) {
        Trip before = sent;
        long now = trip.begunNanos;
        if (before != null && !before.isForgotten()) {
            goOnAlone(new TimeoutException("still no answer"), now, now + circuit.shortPause(), trip);
            return false;
        }
        if (!circuit.mayAsk(now)) {
            goOnAlone(circuit.cause(), now, now + circuit.nanosLeft(now), trip);
            return false;
        }
        return true;
    }

    /** Tells whether the end of the trip that was found under way will be noticed; if not, it has ended, or has more to tell. */
    boolean awaitEndOf(Trip underWay, FleetState seen) {
        underWay.markAwaited();
        return state == seen;
    }

    /**
     * Returns when who was refused finds what is being fetched: when the answer is there at the latest, or sooner, if it might not be
     * kept for so long. If it is overdue, its end is a matter of moments.
     */
    long nanosToComeBack(long nowNanos) {
        FleetState seen = state;
        Trip underWay = seen.trip;
        if (underWay == null || seen.isOut(nowNanos)) {
            return PermitPolicy.AWAIT_SIGNAL;
        }
        long kept = seen.known.tookNanos() + manners.lifeNanos() / 2;
        return Math.max(Manners.SOONEST_NANOS, Math.min(nanosLeft(underWay, nowNanos), kept));
    }

    /** Tells whether nothing says when to come back: nobody knows when leases end, or this node is on its own. */
    boolean isDeniedWithoutEnd(long nowNanos) {
        FleetState now = state;
        return now.isOut(nowNanos) || (now.trip == null && now.known.isDeniedWithoutEnd());
    }

    /** Tells whether the store may still hear, or answer, what this node has given up. */
    boolean isOverdue() {
        Trip latest = sent;
        return latest != null && !latest.isForgotten() && state.trip != latest;
    }

    /** Returns how long until the answer is there at the latest. */
    long nanosLeft(Trip underWay, long nowNanos) {
        return underWay.begunNanos + manners.deadlineNanos() - nowNanos;
    }

    void answered(Trip trip, Answer answer, boolean isLate) {
        circuit.answered();
        long now = time.nanoTime();
        // What was admitted alone is charged when all that goes back has been told. Nobody but the one trip under way
        // begins or ends it.
        Outage outage = state.hasMuchToTell() ? null : state.out;
        Owed owed = outage == null ? Owed.NOTHING : fallback.owed(limit, now);
        FleetState seen;
        FleetState next;
        do {
            seen = state;
            next = seen.copy();
            next.answered(trip.question, answer, manners, now - trip.begunNanos, now, slackNanos());
            if (closed || trip.limit != limit) {
                next.undoAll();
            }
            if (outage != null) {
                next.owe(owed);
                next.back(outage, now, settleNanos);
            }
            // Who waited while things were told asks now, and tells the rest: else who asks might come last for ever.
            boolean isToBeAsked = trip.isAwaited() && trip.question.one() == 0 && outage == null && !closed;
            if (next.hasToTell() && (!isToBeAsked || next.hasMuchToTell())) {
                next.trip = new Trip(this, next.askNothing(), owed.charge(), time.nanoTime());
            }
        } while (!change(seen, next));
        chores.renewLater(next);
        lookLater();
        chores.tellSoon(next);
        if (isLate || trip.isAwaited()) {
            waiting.signal(() -> serve(answer.granted()));
        } // or whoever asks is still at it, and finds the answer
    }

    /** Late use of what a token bucket has given moves nothing; of what a window has given, or what keeps permits apart, it does. */
    private long slackNanos() {
        return limit instanceof TokenBucket
                ? Math.max(manners.slackNanos(), Rates.periodNanos(limit))
                : manners.slackNanos();
    }

    void failed(Trip trip, Throwable cause, boolean isLate) {
        Trip unsent = Symptoms.isUnsent(cause) ? trip : null;
        long now = time.nanoTime();
        long pause = circuit.pauseAfter(cause, trip.begunNanos, now);
        goOnAlone(cause, isLate ? now : trip.begunNanos, now + pause, unsent);
        signalIf(isLate || trip.isAwaited());
    }

    /** What a question would have told that was never sent is still to be told: what was charged, as if it were charged now. */
    private void goOnAlone(Throwable cause, long sinceNanos, long retryNanos, @Nullable Trip unsent) {
        FleetState seen;
        FleetState next;
        do {
            seen = state;
            next = seen.copy();
            next.failed(cause, sinceNanos, retryNanos);
            if (unsent != null) {
                next.putBack(unsent.question);
            }
        } while (!publish(seen, next));
        if (unsent != null) {
            tellAgain(unsent, sinceNanos);
        }
        lookLater();
    }

    private void tellAgain(Trip unsent, long sinceNanos) {
        fallback.tellAgain(unsent.question.untold(), sinceNanos);
        if (unsent.question.charge() > 0) {
            fallback.chargeAgain((int) unsent.question.charge(), unsent.owed, sinceNanos);
        }
    }

    /** Has those who wait looked after: whoever sent the trip, if it is not over yet, and who found it. */
    private void signalIf(boolean isAwaited) {
        if (isAwaited) {
            waiting.signal(waiting::lookAfter);
        }
    }

    /** What is left, as who asked for it has gone, is not kept for long. */
    private void serve(long permits) {
        waiting.serve(permits);
        dropLater();
    }

    /** Answers for how long a question for so many permits is to wait for others; zero if it is not. */
    long nanosToGather(long permits, long nowNanos) {
        return waiting.nanosToGather(permits, nowNanos);
    }

    /** A change of what the store has to be told. */
    interface Change {
        void make(FleetState seen, FleetState next);
    }

    /** Changes what the store has to be told, and tells it, at once or with the next trip; while alone, when it is time to look. */
    void tell(Change what) {
        FleetState seen;
        FleetState next;
        do {
            seen = state;
            next = seen.copy();
            what.make(seen, next);
            if (next.isToTellNow(time)) {
                start(next, next.askNothing());
            }
        } while (!change(seen, next));
        lookLater();
    }

    /** Has the store looked for in a while, if it is away and is to hear of this node: a key that nobody may use has no timer for that. */
    void lookLater() {
        if (state.out != null && hasToBeHeardOf()) {
            chores.lookLater();
        }
    }

    /** Tells whether the store, when it is back, is to hear of this node though nobody asks: of leases, or of what still counts. */
    boolean hasToBeHeardOf() {
        FleetState now = state;
        return (now.isHoldingOrOnRecord() && Rates.returnsOnRelease(limit))
                || now.hasToTell()
                || fallback.nanosUntilFull(Rates.periodNanos(limit), time.nanoTime()) > 0;
    }

    /** Gives back what is in hand, and what is on its way here when it comes: nobody asks any more. */
    void close() {
        closed = true; // which an answer finds that comes after the change
        tell((seen, next) -> next.undoAll());
    }

    /** Gives back all that is held, though it may be in use: this node is leaving. */
    void leave() {
        tell((seen, next) -> next.leave());
    }

    /** Has what nobody comes for given back in time. */
    void dropLater() {
        chores.dropLater(state);
    }

    /** Has those who wait looked after once more, when it is time to ask again. */
    void pollLater() {
        if (manners.pollNanos() > 0) {
            chores.comeBackIn(manners.pollNanos());
        }
    }

    /** Has those who wait looked after once more, when it is time to look for the store: unless the end of a look will. */
    void comeBackLater() {
        FleetState now = state;
        Trip look = now.trip;
        if (look == null || !awaitEndOf(look, now)) {
            long pause = now.out == null ? 0 : now.out.retryNanos() - time.nanoTime();
            chores.comeBackIn(Math.max(Manners.SOONEST_NANOS, pause));
        }
    }
}
