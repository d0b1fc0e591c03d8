package dev.weir.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the limiters of one node share: their patience with the store, and who of them holds what has to go back in the end. */
final class Node {

    final Circuit circuit = new Circuit();
    private final Set<Trips> holding = ConcurrentHashMap.newKeySet();
    private volatile boolean isLeaving;

    void holds(Trips limit) {
        holding.add(limit);
        if (isLeaving) {
            limit.leave();
        }
    }

    void holdsNothing(Trips limit) {
        holding.remove(limit);
    }

    /** Gives back whatever is held, and what turns out to be from now on. */
    void leave() {
        isLeaving = true; // which who is just being renewed finds, or is found
        holding.forEach(Trips::leave);
        holding.clear();
    }
}
