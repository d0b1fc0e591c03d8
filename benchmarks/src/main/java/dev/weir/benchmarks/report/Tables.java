package dev.weir.benchmarks.report;

import dev.weir.benchmarks.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The tables of the page. */
final class Tables {

    private final Results results;
    private final Targets targets;

    Tables(Results results) {
        this.results = results;
        this.targets = new Targets(results);
    }

    /** How many targets are met in each section, and which are not. */
    String summary() {
        Table table = new Table(List.of("", "met", "missed", "by the floor, too"));
        StringBuilder missed = new StringBuilder();
        results.rows().stream().map(Row::section).distinct().sorted().forEach(section -> {
            List<Row> rows = results.of(section, Map.of()).toList();
            List<Check> checks =
                    rows.stream().flatMap(row -> targets.of(row).stream()).toList();
            List<Check> notMet = checks.stream().filter(check -> !check.isMet()).toList();
            long byFloor = notMet.stream().filter(Check::isMissedByFloor).count();
            if (!checks.isEmpty()) {
                table.line(List.of(
                        section,
                        Integer.toString(checks.size() - notMet.size()),
                        Integer.toString(notMet.size()),
                        Long.toString(byFloor)));
            }
            rows.forEach(row -> targets.of(row).stream()
                    .filter(check -> !check.isMet())
                    .forEach(check -> missed.append("- ")
                            .append(section)
                            .append(", ")
                            .append(row.label())
                            .append(setting(row))
                            .append(": ")
                            .append(check.besideFloor())
                            .append('\n')));
        });
        return table + "\n" + (missed.isEmpty() ? "Nothing is missed.\n" : "Missed:\n\n" + missed);
    }

    private static String setting(Row row) {
        return row.setting().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> ", " + entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining());
    }

    /** Decisions, by what their yardstick took beside them and by the best of the peers that limit by time. */
    String decisions(String section, String threads, String yardstick) {
        return costs(results.of(section, Map.of("threads", threads)).toList(), yardstick, 1, Targets::isByTime);
    }

    /** Streams, by the floor that has this name and by the best of the peers that do something with an element. */
    String elements(String floorId) {
        List<Row> rows = results.of("C", Map.of()).toList();
        Optional<Row> floor =
                rows.stream().filter(row -> row.id().equals(floorId)).findFirst();
        return costs(
                rows,
                floor.map(Row::label).orElse(floorId),
                floor.map(Row::times).orElse(Double.NaN),
                Targets::isLimiterOfElements);
    }

    /**
     * Nanoseconds and bytes, with ratios to something that takes so many times the yardstick, and to the best peer. Both are
     * of what each took by the yardstick beside it, not of the nanoseconds of different minutes.
     */
    private String costs(List<Row> rows, String floorLabel, double floor, Predicate<Row> peers) {
        double best = rows.stream()
                .filter(row -> row.isMeasured() && peers.test(row))
                .mapToDouble(Row::times)
                .min()
                .orElse(Double.NaN);
        Table table =
                new Table(List.of("", "ns", "yardstick, ns", "bytes", "x " + floorLabel, "x best peer", "target"));
        for (Row row : rows) {
            line(
                    table,
                    row,
                    () -> List.of(
                            rounded(row.median("nanos")),
                            rounded(row.median("yardstickNanos")),
                            rounded(row.median("bytes")),
                            rounded(row.times() / floor),
                            rounded(row.times() / best)));
        }
        return table.toString();
    }

    /** One figure of each kind. */
    String brief() {
        return new Brief(results).toString();
    }

    String shaping(String shape, int perSecond) {
        Table table = new Table(List.of(
                "",
                "reached",
                "worst window",
                "late p50",
                "p99",
                "max",
                "behind p50",
                "p99",
                "max",
                "processor",
                "target"));
        results.of("D", Map.of("shape", shape, "perSecond", Integer.toString(perSecond)))
                .forEach(row -> line(table, row, () -> {
                    List<String> cells = new ArrayList<>(
                            List.of(percent(row.median("reached")), percent(row.median("worstWindow"))));
                    for (String figure :
                            List.of("lateP50", "lateP99", "lateMax", "behindP50", "behindP99", "behindMax")) {
                        cells.add(Check.number(Math.rint(row.median(figure))));
                    }
                    cells.add(percent(row.median("cpu")));
                    return cells;
                }));
        return table.toString();
    }

    String waiting(int requests) {
        return plain(
                "E",
                Map.of("requests", Integer.toString(requests)),
                List.of(
                        "bytes",
                        "enterNanos",
                        "leaveNanos",
                        "leaveAnyhowNanos",
                        "timers",
                        "leftWaiting",
                        "leftTimers",
                        "leftBytes"),
                List.of(
                        "bytes",
                        "enter, ns",
                        "cancel, ns",
                        "in any order",
                        "timers",
                        "left waiting",
                        "left timers",
                        "left bytes"));
    }

    String keys(int keys) {
        return plain(
                "F",
                Map.of("keys", Integer.toString(keys)),
                List.of("bytes", "firstNanos", "timers"),
                List.of("bytes", "first permit, ns", "timers"));
    }

    String streams() {
        Table table = new Table(List.of("", "streams", "processor, ns a permit", "reached", "timers", "target"));
        results.of("F", Map.of())
                .filter(row -> row.setting().containsKey("streams"))
                .sorted(Comparator.comparing(Row::id)
                        .reversed()
                        .thenComparing(row -> Integer.valueOf(row.setting().getOrDefault("streams", "0"))))
                .forEach(row -> line(
                        table,
                        row,
                        () -> List.of(
                                row.setting().getOrDefault("streams", ""),
                                Check.number(Math.rint(row.median("cpuNanos"))),
                                percent(row.median("reached")),
                                Check.number(row.median("timers")))));
        return table.toString();
    }

    String fleet(int keys, int callers) {
        return plain(
                "H",
                Map.of("keys", Integer.toString(keys), "callers", Integer.toString(callers)),
                List.of("perSecond", "p50", "p99", "trips", "serverMicros", "clientMicros"),
                List.of("decisions/s", "p50, us", "p99, us", "trips", "server, us", "client, us"));
    }

    String fleetWaiters(int waiters) {
        return plain(
                "H",
                Map.of("waiters", Integer.toString(waiters)),
                List.of("lastMillis", "lateMillis", "worstWindow", "bound", "trips", "serverMicros"),
                List.of("last served, ms", "late, ms", "worst window", "by its limit", "trips", "server, us"));
    }

    private String plain(String section, Map<String, String> setting, List<String> figures, List<String> columns) {
        List<String> head = new ArrayList<>(List.of(""));
        head.addAll(columns);
        head.add("target");
        Table table = new Table(head);
        results.of(section, setting)
                .forEach(row -> line(
                        table,
                        row,
                        () -> figures.stream()
                                .map(figure -> row.has(figure) ? rounded(row.median(figure)) : "failed")
                                .toList()));
        return table.toString();
    }

    /** Name, figures and verdict; of a contender that did not get to its end, that. */
    private void line(Table table, Row row, Supplier<List<String>> figures) {
        List<String> cells = new ArrayList<>(List.of(name(row)));
        if (row.isMeasured()) {
            cells.addAll(figures.get());
            cells.add(verdict(row));
        } else {
            cells.add("failed");
            cells.addAll(Collections.nCopies(table.columns() - cells.size(), ""));
        }
        table.line(cells);
    }

    private String verdict(Row row) {
        List<Check> checks = targets.of(row);
        if (checks.isEmpty()) {
            return "";
        }
        String missed = checks.stream()
                .filter(check -> !check.isMet())
                .map(Check::toString)
                .collect(Collectors.joining("; "));
        return missed.isEmpty() ? "met" : "missed: " + missed;
    }

    private static String name(Row row) {
        return row.kind() == Kind.OURS ? "**" + row.label() + "**" : row.label();
    }

    static String percent(double share) {
        return Check.number(Math.rint(share * 10_000) / 100) + " %";
    }

    static String rounded(double number) {
        double scale = Math.abs(number) >= 10 ? 10 : Math.abs(number) >= 0.1 ? 100 : 10_000;
        return Check.number(Math.rint(number * scale) / scale);
    }
}
