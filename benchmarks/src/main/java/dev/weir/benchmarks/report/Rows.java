package dev.weir.benchmarks.report;

import dev.weir.benchmarks.Compared;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Gathers rows; what is measured again is added to what is there. */
public final class Rows {

    private final List<Row> rows = new ArrayList<>();

    public void add(
            String section, Compared contender, Map<String, String> setting, Map<String, List<Double>> figures) {
        Row row = rows.stream()
                .filter(known -> known.is(section, contender.name(), setting))
                .findFirst()
                .orElseGet(() -> {
                    Row first = new Row(
                            section,
                            contender.name(),
                            contender.label(),
                            contender.kind(),
                            setting,
                            new LinkedHashMap<>());
                    rows.add(first);
                    return first;
                });
        figures.forEach((name, values) -> row.figures()
                .computeIfAbsent(name, unknown -> new ArrayList<>())
                .addAll(values));
    }

    public List<Row> all() {
        return List.copyOf(rows);
    }
}
