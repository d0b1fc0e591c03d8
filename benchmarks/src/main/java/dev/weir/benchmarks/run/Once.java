package dev.weir.benchmarks.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Figures of one repetition. */
final class Once {

    private Once() {}

    static Map<String, List<Double>> of(Map<String, Double> figures) {
        Map<String, List<Double>> repeated = new LinkedHashMap<>();
        figures.forEach((name, figure) -> repeated.put(name, List.of(figure)));
        return repeated;
    }
}
