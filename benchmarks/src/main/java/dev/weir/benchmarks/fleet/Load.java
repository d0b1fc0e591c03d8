package dev.weir.benchmarks.fleet;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.benchmarks.Figures;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Many callers on several nodes, who ask for permits of limits that never bite.
 *
 * @param keys of which each has a limit of its own
 * @param callers who ask, each as soon as it has its answer
 */
record Load(int keys, int callers) {

    static final int NODES = 4;

    /** So many that none is refused, and so slow to come back that no key is as good as new while anybody looks. */
    private static final int PERMITS = 100_000_000;

    private static final Duration PERIOD = Duration.ofSeconds(100_000_000);

    private static final int MIDDLE = 50;
    private static final int NEARLY_ALL = 99;
    private static final double NANOS_PER_MICRO = 1e3;

    Figures measure(FleetContender contender, int port, int warmupMillis, int millis) {
        try (ServerCost server = new ServerCost(port);
                SharedLimits limits = contender.limits(new Site(port, NODES, PERMITS, PERIOD))) {
            server.clear();
            Crowd crowd = new Crowd(gates(limits), callers);
            crowd.run(TimeUnit.MILLISECONDS.toNanos(warmupMillis));
            return measure(crowd, server, limits, TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    private static Figures measure(Crowd crowd, ServerCost server, SharedLimits limits, long nanos) {
        OperatingSystemMXBean machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long tripsBefore = limits.tripsBesideScripts();
        server.begin();
        long cpuNanosBefore = machine.getProcessCpuTime();
        Histogram waits = crowd.run(nanos);
        double cpuNanos = machine.getProcessCpuTime() - cpuNanosBefore;
        double decisions = waits.getTotalCount();
        return new Figures()
                .put("perSecond", decisions * TimeUnit.SECONDS.toNanos(1) / nanos)
                .put("p50", waits.getValueAtPercentile(MIDDLE) / NANOS_PER_MICRO)
                .put("p99", waits.getValueAtPercentile(NEARLY_ALL) / NANOS_PER_MICRO)
                .put("trips", (server.scripts() + limits.tripsBesideScripts() - tripsBefore) / decisions)
                .put("serverMicros", server.cpuMicros() / decisions)
                .put("clientMicros", cpuNanos / NANOS_PER_MICRO / decisions);
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
