package dev.weir.benchmarks.run;

import dev.weir.benchmarks.fleet.FleetContender;
import dev.weir.benchmarks.fleet.FleetRun;
import dev.weir.benchmarks.fleet.LocalServer;
import dev.weir.benchmarks.report.Rows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * H, limits that several nodes share through a server: the same server for all contenders. All are there at once and take turns, as
 * how fast the machine is changes by more than they differ by.
 */
final class Fleets implements Section {

    /** On processors that it shares with the server, a virtual machine compiles for so long; the figures are of what it compiled. */
    private static final int COLD = 30;

    private static final int WARM = 12;

    /** How many parts of the time are a turn. */
    private static final int PARTS = 2;

    private static final int TURNS = 7;
    private static final int TURNS_TO_WAIT = 3;

    @Override
    public void measure(Rows rows, Effort effort) {
        try (LocalServer server = LocalServer.start()) {
            List<Participant> all = new ArrayList<>();
            for (FleetContender contender : FleetContender.values()) {
                all.add(new Participant(contender, server.port(), all.size()));
            }
            try {
                measure(all, FleetRun.KEYS, FleetRun.CALLERS, COLD, rows, effort);
                measure(all, 1, FleetRun.CALLERS, WARM, rows, effort);
                measure(all, 1, 1, WARM, rows, effort);
                measureWaiting(all, rows);
            } finally {
                all.forEach(Participant::close);
            }
        }
    }

    private void measure(List<Participant> all, int keys, int callers, int warmups, Rows rows, Effort effort) {
        all.forEach(each -> each.begin(keys, callers, warmups * effort.shapingWarmupMillis()));
        Map<String, String> setting = Map.of("keys", Integer.toString(keys), "callers", Integer.toString(callers));
        String question = FleetRun.toTakeATurn(effort.shapingMillis() / PARTS);
        for (int turn = 0; turn < TURNS; turn++) {
            all.forEach(each -> each.measure(question, setting, rows));
        }
    }

    private void measureWaiting(List<Participant> all, Rows rows) {
        Map<String, String> setting = Map.of("waiters", Integer.toString(FleetRun.WAITERS));
        for (int turn = 0; turn < TURNS_TO_WAIT; turn++) {
            all.stream().filter(Participant::limits).forEach(each -> each.measure(FleetRun.toWait(), setting, rows));
        }
    }
}
