package dev.weir.benchmarks.report;

import java.util.List;
import java.util.stream.Collectors;

/** A table of a Markdown page. */
final class Table {

    private final StringBuilder text = new StringBuilder();
    private final int columns;

    /** All columns but the first, and the last if it is of words, are numbers. */
    Table(List<String> columns) {
        this.columns = columns.size();
        line(columns);
        line(columns.stream()
                .map(column -> column.isEmpty() || column.equals("target") ? "---" : "---:")
                .toList());
    }

    int columns() {
        return columns;
    }

    void line(List<String> cells) {
        text.append(cells.stream().collect(Collectors.joining(" | ", "| ", " |\n")));
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
