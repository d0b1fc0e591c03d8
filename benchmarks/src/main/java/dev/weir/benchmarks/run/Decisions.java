package dev.weir.benchmarks.run;

import dev.weir.benchmarks.decision.Contender;
import dev.weir.benchmarks.decision.DecisionBenchmark;
import dev.weir.benchmarks.decision.Outcome;
import dev.weir.benchmarks.report.Rows;
import java.util.Map;

/** A, decisions that grant; B, decisions that refuse. */
final class Decisions implements Section {

    private final String letter;
    private final Outcome outcome;
    private final int threads;

    Decisions(String letter, Outcome outcome, int threads) {
        this.letter = letter;
        this.outcome = outcome;
        this.threads = threads;
    }

    @Override
    public void measure(Rows rows, Effort effort) {
        for (Contender contender : Contender.values()) {
            if (!contender.takesPart(outcome)) {
                continue;
            }
            Map<String, String> parameters = Map.of("contender", contender.name(), "outcome", outcome.name());
            rows.add(
                    letter,
                    contender,
                    Map.of("threads", Integer.toString(threads)),
                    Jmh.run(
                            DecisionBenchmark.class,
                            parameters,
                            DecisionBenchmark.IN_A_ROW,
                            threads,
                            effort.decisions()));
        }
    }
}
