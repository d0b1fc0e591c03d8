package dev.weir.benchmarks.run;

import dev.weir.benchmarks.Growth;
import dev.weir.benchmarks.report.Rows;
import dev.weir.benchmarks.waiting.RoomContender;
import dev.weir.benchmarks.waiting.WaitingRun;
import java.util.Map;

/** E, requests that wait; from a thousandth of them to all. */
final class Waiting implements Section {

    /** So many requests have come and gone before it counts, whatever their number at once. */
    private static final int WARMUP_REQUESTS = 200_000;

    private static final int LEAST_ROUNDS = 2;

    @Override
    public void measure(Rows rows, Effort effort) {
        int least = effort.waiters() / Growth.MOST_TIMES;
        for (int times : Growth.TIMES) {
            int requests = least * times;
            int roundsBefore = Math.max(LEAST_ROUNDS, Math.min(WARMUP_REQUESTS, effort.waiters()) / requests);
            for (RoomContender contender : RoomContender.values()) {
                Map<String, Double> figures = Machines.run(
                        contender.kind(),
                        Machines.COUNTING_MEMORY,
                        WaitingRun.class,
                        contender,
                        requests,
                        roundsBefore);
                rows.add("E", contender, Map.of("requests", Integer.toString(requests)), Once.of(figures));
            }
        }
    }
}
