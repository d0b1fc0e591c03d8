package dev.weir.benchmarks.fleet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Many callers on several nodes, who ask for permits of limits that never bite.
 *
 * @param keys of which each has a limit of its own
 * @param callers who ask, each as soon as it has its answer
 */
record Load(int keys, int callers) {

    static final int NODES = 4;

    /** So many that none is refused, and so slow to come back that no key is as good as new while anybody looks. */
    private static final int PERMITS = 1_000_000_000;

    private static final Duration PERIOD = Duration.ofSeconds(500_000_000);

    /** Begins with it: callers are there, and ask nothing yet. */
    LoadRun on(FleetContender contender, int port, int database) {
        SharedLimits limits = contender.limits(new Site(port, database, NODES, PERMITS, PERIOD));
        ServerCost server = new ServerCost(port, database);
        server.clear();
        return new LoadRun(server, limits, new Crowd(gates(limits), callers));
    }

    private List<Gate[]> gates(SharedLimits limits) {
        List<Gate[]> gates = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            Gate[] ofNode = new Gate[keys];
            for (int key = 0; key < keys; key++) {
                ofNode[key] = limits.gate(node, "key-" + key);
            }
            gates.add(ofNode);
        }
        return gates;
    }
}
