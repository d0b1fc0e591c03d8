package dev.weir.redis;

import dev.weir.handle.Every;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;

/** State shared by the limiters of one node: its servers, and which limiters hold permits to be given back in the end. */
final class Node {

    /** A question without an answer for longer than this is not just late. */
    private static final long LATE_NANOS = 1_000_000_000;

    final Servers servers;
    private final OutageListener outages;
    private final Set<Reporter> holding = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);

    /** In this order, perhaps leaving some out: a node that is closed twice does not go back. */
    private enum Phase {
        OPEN,
        IN_HASTE,
        LEAVING,
        LEFT,
        DISCONNECTED
    }

    Node(OutageListener outages) {
        this(() -> ThreadLocalRandom.current().nextLong(), outages);
    }

    /** Creates a node whose circuits take their jitter from there. */
    Node(RandomGenerator random, OutageListener outages) {
        this.servers = new Servers(random);
        this.outages = outages;
    }

    /** Tells of an error about one key, and of any failure while the circuit is open; not that a question could not be sent. */
    void hasFailed(Throwable cause, Circuit circuit) {
        if (!Symptoms.isOfThisNode(cause) && (circuit.isOpen() || Symptoms.isOfOneKey(cause))) {
            tell(cause);
        }
    }

    /** Tells that a question is not answered, nor given up by the client, after that time, unless it may just be late. */
    void stillWaits(Throwable cause, long nanos) {
        if (nanos > LATE_NANOS) {
            tell(cause);
        }
    }

    /** When this node leaves, calls may fail that nobody waits for. */
    private void tell(Throwable cause) {
        if (isBefore(Phase.IN_HASTE)) {
            outages.decidesAlone(cause);
        }
    }

    void holds(Reporter limit) {
        holding.add(limit);
        if (isLeaving()) {
            limit.leave();
        }
    }

    void holdsNothing(Reporter limit) {
        holding.remove(limit);
    }

    /** Returns whether all that is held is given back, now and from now on: there may be no connection after that. */
    boolean isLeaving() {
        return !isBefore(Phase.LEAVING);
    }

    /** Has what is given back wait for no pause between two questions, until this has left: it may not be possible later. */
    void hurry() {
        advanceTo(Phase.IN_HASTE);
    }

    /** Returns whether updates are sent now or never. */
    boolean isInHaste() {
        return !isBefore(Phase.IN_HASTE) && isBefore(Phase.LEFT);
    }

    /** Gives back all held permits, and any that are registered from now on. */
    void leave() {
        advanceTo(Phase.LEAVING); // a limit that is just being renewed sees this, or is in the set
        try {
            Every.one(holding, Reporter::leave);
        } finally {
            holding.clear();
            advanceTo(Phase.LEFT);
        }
    }

    /** Has nobody probe the store any more: the connection is closed for good. */
    void disconnect() {
        advanceTo(Phase.DISCONNECTED);
    }

    /** Returns whether there is no connection any more, nor ever will be. */
    boolean isDisconnected() {
        return !isBefore(Phase.DISCONNECTED);
    }

    private boolean isBefore(Phase later) {
        return Objects.requireNonNull(phase.get(), "phase").compareTo(later) < 0;
    }

    private void advanceTo(Phase next) {
        phase.accumulateAndGet(next, (now, then) -> now.compareTo(then) < 0 ? then : now);
    }
}
