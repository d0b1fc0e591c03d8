package dev.weir.benchmarks.run;

import dev.weir.benchmarks.Kind;
import dev.weir.benchmarks.fleet.FleetContender;
import dev.weir.benchmarks.fleet.LoadRun;
import dev.weir.benchmarks.fleet.LocalServer;
import dev.weir.benchmarks.fleet.WaitersRun;
import dev.weir.benchmarks.report.Rows;
import java.util.List;
import java.util.Map;

/** H, limits that several nodes share through a server: the same server for all contenders. */
final class Fleets implements Section {

    private static final int MANY_CALLERS = 256;
    private static final int MANY_KEYS = 1_000;
    private static final int WAITERS = 1_000;

    @Override
    public void measure(Rows rows, Effort effort) {
        try (LocalServer server = LocalServer.start()) {
            load(rows, effort, server, 1, 1);
            load(rows, effort, server, 1, MANY_CALLERS);
            load(rows, effort, server, MANY_KEYS, MANY_CALLERS);
            waiters(rows, server);
        }
    }

    private static void load(Rows rows, Effort effort, LocalServer server, int keys, int callers) {
        for (FleetContender contender : FleetContender.values()) {
            Map<String, Double> figures = Machines.run(
                    contender.kind(),
                    List.of("-Xms1g"),
                    LoadRun.class,
                    contender,
                    server.port(),
                    keys,
                    callers,
                    effort.shapingWarmupMillis(),
                    effort.shapingMillis());
            add(rows, contender, Map.of("keys", Integer.toString(keys), "callers", Integer.toString(callers)), figures);
        }
    }

    private static void waiters(Rows rows, LocalServer server) {
        for (FleetContender contender : FleetContender.values()) {
            if (contender.kind() != Kind.FLOOR) {
                Map<String, Double> figures = Machines.run(
                        contender.kind(), List.of("-Xms1g"), WaitersRun.class, contender, server.port(), WAITERS);
                add(rows, contender, Map.of("waiters", Integer.toString(WAITERS)), figures);
            }
        }
    }

    private static void add(
            Rows rows, FleetContender contender, Map<String, String> setting, Map<String, Double> figures) {
        rows.add("H", contender.name(), contender.label(), contender.kind(), setting, Once.of(figures));
    }
}
