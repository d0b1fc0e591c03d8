package dev.weir.benchmarks.report;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The plots of the page, by the names of their files. */
final class Plots {

    private final Results results;
    private final Map<String, String> files = new LinkedHashMap<>();

    private Plots(Results results) {
        this.results = results;
    }

    static Map<String, String> of(Results results) {
        Plots plots = new Plots(results);
        for (String shape : new String[] {"WINDOWS", "EVEN"}) {
            String spread = shape.equals("EVEN") ? "10,000/s, evenly" : "100 in 10 ms";
            plots.bars(shape, "reached", "part of the limit reached, " + spread, 1.2);
            plots.bars(shape, "worstWindow", "worst window by what the limit admits, " + spread, 2.5);
        }
        plots.lines("G", "decisions", "nanos", "ns a decision, by decisions in a row");
        plots.lines("G", "elements", "nanos", "ns an element, by the length of the stream");
        plots.lines("E", "requests", "enterNanos", "ns to begin to wait, by requests that wait");
        plots.lines("E", "requests", "leaveNanos", "ns to cancel, by requests that wait");
        plots.lines("F", "keys", "firstNanos", "ns for the first permit of a key, by keys");
        plots.lines("F", "streams", "cpuNanos", "ns of processor time a permit, by streams on one limiter");
        return plots.files;
    }

    private void bars(String shape, String figure, String title, double most) {
        Map<String, Double> values = new LinkedHashMap<>();
        results.of("D", Map.of("shape", shape, "perSecond", "10000"))
                .filter(row -> row.has(figure))
                .forEach(row -> values.put(row.label(), row.median(figure)));
        if (!values.isEmpty()) {
            files.put(
                    "shaping-" + shape.toLowerCase(java.util.Locale.ROOT) + "-" + figure + ".svg",
                    Bars.draw(title, values, 1, most));
        }
    }

    private void lines(String section, String unit, String figure, String title) {
        Map<String, NavigableMap<Integer, Double>> lines = new LinkedHashMap<>();
        results.of(section, Map.of())
                .filter(row -> row.setting().containsKey(unit) && row.has(figure) && row.median(figure) > 0)
                .forEach(row -> lines.computeIfAbsent(row.label(), unknown -> new TreeMap<>())
                        .put(Integer.valueOf(row.setting().getOrDefault(unit, "0")), row.median(figure)));
        if (!lines.isEmpty()) {
            files.put("growth-" + unit + "-" + figure + ".svg", Lines.draw(title, unit, lines));
        }
    }
}
