package dev.weir.benchmarks.decision;

import dev.weir.benchmarks.Figures;
import dev.weir.benchmarks.Growth;
import java.util.Map;

/** From some decisions in a row to a thousand times as many. Arguments: contender, the least number of decisions. */
public final class DecisionGrowth {

    private DecisionGrowth() {}

    public static void main(String[] arguments) {
        Figures.tell(measure(Contender.valueOf(arguments[0]), Integer.parseInt(arguments[1])));
    }

    static Map<String, Double> measure(Contender contender, int least) {
        Decision decision = contender.decision(Outcome.GRANTED);
        return new Growth(decisions -> {
                    int granted = 0;
                    for (int i = 0; i < decisions; i++) {
                        granted += decision.tryTake() ? 1 : 0;
                    }
                    if (granted != decisions) {
                        throw new IllegalStateException("granted only " + granted + " of " + decisions);
                    }
                })
                .measure(least);
    }
}
