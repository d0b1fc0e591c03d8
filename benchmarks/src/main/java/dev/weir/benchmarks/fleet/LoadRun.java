package dev.weir.benchmarks.fleet;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.benchmarks.Figures;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Lets many callers on several nodes ask for permits of limits that never bite. Arguments: contender, port of the server, how many
 * keys and callers, milliseconds to warm up and to measure.
 */
public final class LoadRun {

    static final int NODES = 4;
    static final int PERMITS = 1_000_000;

    private static final int MIDDLE = 50;
    private static final int NEARLY_ALL = 99;
    private static final double NANOS_PER_MICRO = 1e3;

    private LoadRun() {}

    public static void main(String[] arguments) {
        Figures.tell(measure(
                FleetContender.valueOf(arguments[0]),
                Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3]),
                Integer.parseInt(arguments[4]),
                Integer.parseInt(arguments[5])));
    }

    static Map<String, Double> measure(
            FleetContender contender, int port, int keys, int callers, int warmupMillis, int millis) {
        Site site = new Site(port, NODES, PERMITS, Duration.ofSeconds(1));
        try (ServerCost server = new ServerCost(port);
                SharedLimits limits = contender.limits(site)) {
            server.clear();
            List<Gate[]> gates = gates(limits, keys);
            Crowd crowd = new Crowd(
                    gates, callers, TimeUnit.MILLISECONDS.toNanos(warmupMillis), TimeUnit.MILLISECONDS.toNanos(millis));
            OperatingSystemMXBean machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            long cpuNanosBefore = machine.getProcessCpuTime();
            long tripsBefore = limits.tripsBesideScripts();
            server.begin();
            crowd.run();
            // From here on all is for each decision, those to warm up included: what a server does needs no warming up.
            double decisions = crowd.decisions();
            Histogram nanos = crowd.nanos();
            return new Figures()
                    .put("perSecond", crowd.perSecond())
                    .put("p50", nanos.getValueAtPercentile(MIDDLE) / NANOS_PER_MICRO)
                    .put("p99", nanos.getValueAtPercentile(NEARLY_ALL) / NANOS_PER_MICRO)
                    .put("trips", (server.scripts() + limits.tripsBesideScripts() - tripsBefore) / decisions)
                    .put("serverMicros", server.cpuMicros() / decisions)
                    .put("clientMicros", (machine.getProcessCpuTime() - cpuNanosBefore) / NANOS_PER_MICRO / decisions)
                    .all();
        }
    }

    private static List<Gate[]> gates(SharedLimits limits, int keys) {
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
