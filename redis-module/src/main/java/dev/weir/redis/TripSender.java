package dev.weir.redis;

import dev.weir.handle.Handles;
import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Sends the questions of one limit to the store: one at a time, and none while its server is not to be asked. */
final class TripSender {

    private static final VarHandle UNANSWERED =
            Handles.of(() -> MethodHandles.lookup().findVarHandle(TripSender.class, "unanswered", Trip.class));

    private final Store store;
    private final Node node;
    private final Servers.OfOneClock servers;

    /** The latest trip sent, until the client lets go of its question. */
    private volatile @Nullable Trip unanswered;

    TripSender(Store store, Node node, TimeSource time) {
        this.store = store;
        this.node = node;
        this.servers = node.servers.of(time);
    }

    /** Throws if the store cannot enforce a limit. */
    void check(Limit changed) {
        store.check(changed);
    }

    /** Returns the server that a question would go to now. */
    Server server() {
        return servers.of(store.server());
    }

    /** Returns the latest trip if the store may still receive or answer its question, or null. */
    @Nullable
    Trip unanswered() {
        return unanswered;
    }

    /** To be called when the client lets go of a question: with an answer or a failure, perhaps after the deadline. */
    void letGo(Trip trip) {
        UNANSWERED.compareAndSet(this, trip, null);
    }

    /** Sends a trip, which may end meanwhile. If it must not be sent, returns the outage for which it is not. */
    @Nullable
    Outage send(Trip trip) {
        Server server = server();
        Outage reason = whyNotToAsk(trip.begunNanos, server.circuit());
        if (reason != null) {
            return reason;
        }
        unanswered = trip;
        try {
            trip.begin(server);
            store.ask(trip.terms.limit(), trip.question, trip);
        } catch (Throwable refused) {
            trip.failed(refused);
        }
        return null;
    }

    /** Of one limit the store has at most one question. */
    private @Nullable Outage whyNotToAsk(long nowNanos, Circuit circuit) {
        Trip before = unanswered;
        if (before != null) {
            long retry = nowNanos + circuit.shortPause();
            TimeoutException cause = new TimeoutException("still no answer");
            node.stillWaits(cause, nowNanos - before.begunNanos);
            return new Outage(nowNanos, retry, nowNanos + Outage.BEFORE_TURN_NANOS, cause);
        }
        return circuit.mayAsk(nowNanos) || node.isInHaste() ? null : circuit.untilPauseIsOver(nowNanos);
    }
}
