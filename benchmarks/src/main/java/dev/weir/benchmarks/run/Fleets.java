package dev.weir.benchmarks.run;

import dev.weir.benchmarks.Kind;
import dev.weir.benchmarks.fleet.FleetContender;
import dev.weir.benchmarks.fleet.FleetRun;
import dev.weir.benchmarks.fleet.LocalServer;
import dev.weir.benchmarks.report.Rows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** H, limits that several nodes share through a server: the same server for all contenders. */
final class Fleets implements Section {

    @Override
    public void measure(Rows rows, Effort effort) {
        try (LocalServer server = LocalServer.start()) {
            for (FleetContender contender : FleetContender.values()) {
                Map<String, Double> figures = Machines.run(
                        contender.kind(),
                        List.of("-Xms1g"),
                        FleetRun.class,
                        contender,
                        server.port(),
                        effort.shapingWarmupMillis(),
                        effort.shapingMillis());
                addLoad(rows, contender, 1, 1, figures);
                addLoad(rows, contender, 1, FleetRun.CALLERS, figures);
                addLoad(rows, contender, FleetRun.KEYS, FleetRun.CALLERS, figures);
                if (contender.kind() != Kind.FLOOR) {
                    Map<String, String> setting = Map.of("waiters", Integer.toString(FleetRun.WAITERS));
                    add(rows, contender, setting, FleetRun.ofWaiters(), figures);
                }
            }
        }
    }

    private static void addLoad(
            Rows rows, FleetContender contender, int keys, int callers, Map<String, Double> figures) {
        Map<String, String> setting = Map.of("keys", Integer.toString(keys), "callers", Integer.toString(callers));
        add(rows, contender, setting, FleetRun.of(keys, callers), figures);
    }

    private static void add(
            Rows rows,
            FleetContender contender,
            Map<String, String> setting,
            String prefix,
            Map<String, Double> figures) {
        Map<String, Double> own = new LinkedHashMap<>();
        figures.forEach((name, figure) -> {
            if (name.startsWith(prefix)) {
                own.put(name.substring(prefix.length()), figure);
            }
        });
        rows.add("H", contender.name(), contender.label(), contender.kind(), setting, Once.of(own));
    }
}
