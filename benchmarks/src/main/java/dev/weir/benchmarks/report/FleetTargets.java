package dev.weir.benchmarks.report;

import dev.weir.benchmarks.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/** What limits that nodes share are to reach: to be ahead of the best of the peers in each figure. */
final class FleetTargets {

    /** What is one trip for each decision for both is equal, but for a few under way when the counting began. */
    private static final double EQUAL = 1.01;

    private static final double LEASED_AHEAD = 10;

    private final Results results;

    FleetTargets(Results results) {
        this.results = results;
    }

    List<Check> of(Row row) {
        List<Check> checks = new ArrayList<>();
        if (row.setting().containsKey("waiters")) {
            checks.add(Check.atMost("worst window", row.median("worstWindow"), row.median("bound")));
            atMost(row, "lastMillis", EQUAL, checks);
            atMost(row, "trips", EQUAL, checks);
            atMost(row, "serverMicros", 1, checks);
            return checks;
        }
        double times = row.id().endsWith("_AHEAD") ? LEASED_AHEAD : 1;
        OptionalDouble most = ofPeers(row, "perSecond").max();
        if (most.isPresent()) {
            checks.add(Check.atLeast("x decisions/s", row.median("perSecond") / most.getAsDouble(), times));
        }
        atMost(row, "p50", 1, checks);
        atMost(row, "p99", 1, checks);
        atMost(row, "trips", EQUAL / times, checks);
        atMost(row, "serverMicros", 1 / times, checks);
        return checks;
    }

    private void atMost(Row row, String figure, double times, List<Check> checks) {
        OptionalDouble least = ofPeers(row, figure).min();
        if (least.isPresent()) {
            checks.add(Check.atMost("x " + figure, row.median(figure) / least.getAsDouble(), times));
        }
    }

    private DoubleStream ofPeers(Row row, String figure) {
        return results.of(row.section(), row.setting())
                .filter(other -> other.kind() == Kind.PEER && other.has(figure) && !isEarly(other))
                .mapToDouble(peer -> peer.median(figure));
    }

    /** Who has served all before the limit allows has not kept it, and is no measure. */
    private static boolean isEarly(Row row) {
        return row.has("lateMillis") && row.median("lateMillis") < 0;
    }
}
