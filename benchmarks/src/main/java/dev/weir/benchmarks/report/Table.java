package dev.weir.benchmarks.report;

import java.util.List;
import java.util.stream.Collectors;

/** A table of a Markdown page. */
final class Table {

    private final StringBuilder text = new StringBuilder();

    /** All columns but the first, and the last if it is of words, are numbers. */
    Table(List<String> columns) {
        line(columns);
        line(columns.stream()
                .map(column -> column.isEmpty() || column.equals("target") ? "---" : "---:")
                .toList());
    }

    void line(List<String> cells) {
        text.append(cells.stream().collect(Collectors.joining(" | ", "| ", " |\n")));
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
