package dev.weir.benchmarks.run;

import dev.weir.benchmarks.Kind;
import dev.weir.benchmarks.fleet.FleetContender;
import dev.weir.benchmarks.fleet.FleetRun;
import dev.weir.benchmarks.report.Rows;
import java.util.List;
import java.util.Map;

/** A contender in a virtual machine of its own, all of which take turns. A peer that failed at something takes part no more. */
final class Participant implements AutoCloseable {

    private static final List<String> OPTIONS = List.of("-Xms1g", "-Xmx2g");

    private final FleetContender contender;
    private final Companion machine;
    private boolean hasFailed;

    Participant(FleetContender contender, int port, int database) {
        this.contender = contender;
        this.machine = Companion.start(OPTIONS, FleetRun.class, contender, port, database);
    }

    /** Whether there is anything to wait for. */
    boolean limits() {
        return contender.kind() != Kind.FLOOR;
    }

    void begin(int keys, int callers, int warmupMillis) {
        var unused = answer(FleetRun.toLoad(keys, callers, warmupMillis));
    }

    /** Measures once more what the question says, and adds it to the row of the setting, which is there in any case. */
    void measure(String question, Map<String, String> setting, Rows rows) {
        rows.add("H", contender, setting, Once.of(answer(question)));
    }

    private Map<String, Double> answer(String question) {
        if (hasFailed) {
            return Map.of();
        }
        try {
            return machine.ask(question);
        } catch (IllegalStateException failed) {
            if (contender.kind() != Kind.PEER) {
                throw failed;
            }
            hasFailed = true;
            return Map.of();
        }
    }

    @Override
    public void close() {
        machine.close();
    }
}
