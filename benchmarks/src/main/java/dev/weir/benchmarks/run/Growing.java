package dev.weir.benchmarks.run;

import dev.weir.benchmarks.Compared;
import dev.weir.benchmarks.Growth;
import dev.weir.benchmarks.decision.Contender;
import dev.weir.benchmarks.decision.DecisionGrowth;
import dev.weir.benchmarks.report.Rows;
import dev.weir.benchmarks.stream.StreamContender;
import dev.weir.benchmarks.stream.StreamGrowth;
import java.util.List;
import java.util.Map;

/** G, as far as it is not in E and F already: decisions and streams, from a few to a thousand times as many. */
final class Growing implements Section {

    private static final List<Contender> DECISIONS =
            List.of(Contender.CLOCK_AND_CAS, Contender.TOKENS, Contender.EXACT_100, Contender.RESILIENCE4J);
    private static final List<StreamContender> STREAMS = List.of(
            StreamContender.FLUX_CLOCK,
            StreamContender.FLUX_OWN,
            StreamContender.FLUX_SHARED,
            StreamContender.RESILIENCE4J);

    @Override
    public void measure(Rows rows, Effort effort) {
        int least = effort.waiters() / Growth.MOST_TIMES;
        for (Contender contender : DECISIONS) {
            add(rows, contender, "decisions", Machines.run(List.of(), DecisionGrowth.class, contender, least));
        }
        for (StreamContender contender : STREAMS) {
            add(rows, contender, "elements", Machines.run(List.of(), StreamGrowth.class, contender, least));
        }
    }

    private static void add(Rows rows, Compared contender, String unit, Map<String, Double> nanosByAmount) {
        nanosByAmount.forEach(
                (amount, nanos) -> rows.add("G", contender, Map.of(unit, amount), Map.of("nanos", List.of(nanos))));
    }
}
