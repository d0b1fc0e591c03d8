package dev.weir.benchmarks.fleet;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.benchmarks.Figures;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** A load that a contender bears whenever it is asked to; in between its callers ask nothing. */
final class LoadRun implements AutoCloseable {

    private static final int MIDDLE = 50;
    private static final int NEARLY_ALL = 99;
    private static final double NANOS_PER_MICRO = 1e3;

    private final ServerCost server;
    private final SharedLimits limits;
    private final Crowd crowd;

    LoadRun(ServerCost server, SharedLimits limits, Crowd crowd) {
        this.server = server;
        this.limits = limits;
        this.crowd = crowd;
    }

    /** The same as to measure, but nobody looks. */
    void warmUp(int millis) {
        crowd.run(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    Figures measure(int millis) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
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

    @Override
    public void close() {
        limits.close();
        server.close();
    }
}
