package dev.weir.benchmarks.report;

import dev.weir.benchmarks.Kind;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What was measured of one contender in one setting.
 *
 * @param section the letter of the comparison
 * @param id the contender, as a program names it
 * @param label the contender, as people name it
 * @param kind what it is in the comparison
 * @param setting what was varied, such as the number of threads
 * @param figures for each figure the values of all repetitions; empty if the contender failed
 */
public record Row(
        String section,
        String id,
        String label,
        Kind kind,
        Map<String, String> setting,
        Map<String, List<Double>> figures) {

    public boolean is(String section, String id, Map<String, String> setting) {
        return this.section.equals(section) && this.id.equals(id) && this.setting.equals(setting);
    }

    public boolean has(String figure) {
        return figures.containsKey(figure);
    }

    /** This contender, had it been as another. */
    Row with(Map<String, List<Double>> figures) {
        return new Row(section, id, label, kind, setting, figures);
    }

    /** Whether the contender got to its end at least once. */
    boolean isMeasured() {
        return !figures.isEmpty();
    }

    /** The median of all repetitions. */
    public double median(String figure) {
        return median(values(figure));
    }

    /**
     * How many times what its yardstick took beside it: the median of the ratios of turns that follow each other. The
     * machine's speed, which was the same for both, is not in it.
     */
    double times() {
        List<Double> nanos = values("nanos");
        List<Double> yardstick = values("yardstickNanos");
        return median(IntStream.range(0, nanos.size())
                .mapToObj(turn -> nanos.get(turn) / yardstick.get(turn))
                .toList());
    }

    private List<Double> values(String figure) {
        List<Double> values = figures.get(figure);
        if (values == null) {
            throw new IllegalArgumentException("no " + figure + " of " + this);
        }
        return values;
    }

    private static double median(List<Double> values) {
        List<Double> ascending = values.stream().sorted().toList();
        int middle = ascending.size() / 2;
        return ascending.size() % 2 == 1
                ? ascending.get(middle)
                : (ascending.get(middle - 1) + ascending.get(middle)) / 2;
    }
}
