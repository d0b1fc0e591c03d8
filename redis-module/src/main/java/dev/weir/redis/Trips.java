package dev.weir.redis;

import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.TokenBucket;
import dev.weir.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
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
    private final Manners manners;
    private final Fallback fallback;
    private final long renewNanos;
    private final AtomicBoolean renewing = new AtomicBoolean();
    private volatile FleetState state;
    private volatile Limit limit;
    private volatile Runnable drain = () -> {};

    Trips(
            Limit limit,
            Store store,
            Circuit circuit,
            TimeSource time,
            Manners manners,
            Fallback fallback,
            boolean returnsOnRelease,
            long nowNanos) {
        this.limit = limit;
        this.store = store;
        this.circuit = circuit;
        this.time = time;
        this.manners = manners;
        this.fallback = fallback;
        this.renewNanos = returnsOnRelease ? manners.renewNanos() : 0;
        this.state = new FleetState(nowNanos);
    }

    FleetState state() {
        return state;
    }

    Limit limit() {
        return limit;
    }

    void limit(Limit changed) {
        limit = changed;
    }

    void signalTo(Runnable toCall) {
        drain = toCall;
    }

    void serveThoseWhoWait() {
        drain.run();
    }

    Throwable latestCause() {
        return circuit.cause();
    }

    /** Asks how things are. Tells whether it is worth looking again now. */
    boolean look(FleetState seen) {
        FleetState next = seen.copy();
        start(next, next.ask(0, 0, 0, 0, 0));
        return !publish(seen, next) || send(next.trip);
    }

    /** Replaces the state if it is still that. */
    boolean publish(FleetState seen, FleetState next) {
        return STATE.compareAndSet(this, seen, next);
    }

    void start(FleetState next, Question question) {
        next.trip = new Trip(this, question);
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
        if (!circuit.mayAsk(time.nanoTime())) {
            trip.failed(circuit.cause());
            return true;
        }
        try {
            store.ask(limit, trip.question, trip);
        } catch (RuntimeException refused) {
            trip.failed(refused);
        }
        return !trip.isToCome(time, manners.deadlineNanos());
    }

    void answered(Trip trip, Answer answer, boolean isLate) {
        circuit.answered();
        long now = time.nanoTime();
        long owed = fallback.owed(limit, now);
        boolean isBack;
        FleetState seen;
        FleetState next;
        do {
            seen = state;
            next = seen.copy();
            isBack = next.out != null;
            next.answered(trip.question, answer, now, manners.lifeNanos(), slackNanos());
            if (isBack) {
                next.charge(owed);
            }
            if (next.hasToTell()) {
                start(next, next.ask(0, 0, 0, 0, 0));
            }
        } while (!change(seen, next));
        if (isBack) {
            fallback.paid();
        }
        renewLater(next);
        if (isLate) {
            signal();
        }
    }

    /** Late use of what a bucket has given moves nothing; of what a window has given it does. */
    private long slackNanos() {
        return limit instanceof TokenBucket || limit instanceof LeakyBucket
                ? Math.max(manners.slackNanos(), Rates.periodNanos(limit))
                : manners.slackNanos();
    }

    void failed(Trip trip, Throwable cause, boolean isLate) {
        long now = time.nanoTime();
        long pause =
                circuit.mayAsk(now) || cause != circuit.cause() ? circuit.failed(cause, time) : circuit.nanosLeft(now);
        FleetState seen;
        FleetState next;
        do {
            seen = state;
            next = seen.copy();
            next.failed(cause, now, now + pause);
        } while (!publish(seen, next));
        if (isLate) {
            signal();
        }
    }

    /** Has those who wait looked after where user code may run. */
    private void signal() {
        try {
            time.schedule(drain, 0);
        } catch (RuntimeException noMoreTasks) {
            ForkJoinPool.commonPool().execute(drain);
        }
    }

    /** A change of what the store has to be told. */
    interface Change {
        void make(FleetState seen, FleetState next);
    }

    /** Changes what the store has to be told, and tells it, at once or with the next trip. */
    void tell(Change what) {
        FleetState seen;
        FleetState next;
        do {
            seen = state;
            next = seen.copy();
            what.make(seen, next);
            if (next.trip == null && next.out == null && next.hasToTell()) {
                start(next, next.ask(0, 0, 0, 0, 0));
            }
        } while (!change(seen, next));
    }

    private void renewLater(FleetState now) {
        if (renewNanos > 0 && now.heldPermits() > 0 && renewing.compareAndSet(false, true)) {
            try {
                time.schedule(this::renew, renewNanos);
            } catch (RuntimeException noMoreTasks) {
                renewing.set(false);
            }
        }
    }

    private void renew() {
        renewing.set(false);
        if (state.heldPermits() > 0) {
            tell((seen, next) -> next.renew());
            renewLater(state);
        }
    }
}
