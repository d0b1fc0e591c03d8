package dev.weir.benchmarks.report;

import dev.weir.benchmarks.Kind;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleFunction;
import java.util.function.Predicate;

/** One figure of each kind, beside the best that another library reached in it: for whoever reads no further. */
final class Brief {

    private static final List<Line> LINES = List.of(
            new Line("a decision, one thread, ns", "A", Map.of("threads", "1"), "TOKENS", least("nanos"))
                    .among(Targets::isByTime),
            new Line("a decision, eight threads, ns", "A", Map.of("threads", "8"), "EXACT_100", least("nanos"))
                    .among(Targets::isByTime),
            new Line("an element of a stream, ns", "C", Map.of(), "FLUX_OWN", least("nanos"))
                    .among(Targets::isLimiterOfElements),
            new Line("an element, the limit is shared, ns", "C", Map.of(), "FLUX_SHARED", least("nanos"))
                    .among(Targets::isLimiterOfElements),
            new Line(
                            "part used of 10,000/s, no window over the limit",
                            "D",
                            Map.of("shape", "WINDOWS", "perSecond", "10000"),
                            "FLUX_OWN",
                            most("reached", Tables::percent))
                    .among(row -> row.median("worstWindow") <= 1),
            new Line("one of a million that wait, bytes", "E", Map.of("requests", "1000000"), "FUTURE", least("bytes")),
            new Line("to cancel one of them, ns", "E", Map.of("requests", "1000000"), "FUTURE", least("leaveNanos")),
            new Line("one of a million keys, bytes", "F", Map.of("keys", "1000000"), "TOKENS", least("bytes")),
            new Line(
                    "fleet, 256 callers of a key, decisions/s",
                    "H",
                    Map.of("callers", "256", "keys", "1"),
                    "EXACT",
                    most("perSecond", Tables::rounded)),
            new Line("fleet, one caller, us", "H", Map.of("callers", "1", "keys", "1"), "EXACT", least("p50")));

    private final Results results;

    Brief(Results results) {
        this.results = results;
    }

    @Override
    public String toString() {
        Table table = new Table(List.of("", "ours", "best of the others"));
        for (Line line : LINES) {
            List<Row> rows = results.of(line.section, line.setting)
                    .filter(Row::isMeasured)
                    .toList();
            rows.stream().filter(row -> row.id().equals(line.ours)).findFirst().ifPresent(ours -> {
                Optional<Row> best = rows.stream()
                        .filter(row -> row.kind() == Kind.PEER)
                        .filter(line.peers)
                        .min(line.figure.bestFirst);
                String others = best.map(line.figure::of).orElse("none");
                table.line(List.of(line.what, line.figure.of(ours), others));
            });
        }
        return table.toString();
    }

    private static Figure least(String name) {
        return new Figure(name, by(name), Tables::rounded);
    }

    private static Figure most(String name, DoubleFunction<String> text) {
        return new Figure(name, by(name).reversed(), text);
    }

    private static Comparator<Row> by(String figure) {
        return Comparator.comparingDouble(row -> row.median(figure));
    }

    /** What is compared, and with which of the others of that section and setting: those that do the same. */
    private record Line(
            String what,
            String section,
            Map<String, String> setting,
            String ours,
            Figure figure,
            Predicate<Row> peers) {

        Line(String what, String section, Map<String, String> setting, String ours, Figure figure) {
            this(what, section, setting, ours, figure, other -> true);
        }

        Line among(Predicate<Row> those) {
            return new Line(what, section, setting, ours, figure, those);
        }
    }

    /** A figure of a row: which is best, and how it is written. */
    private record Figure(String name, Comparator<Row> bestFirst, DoubleFunction<String> text) {

        String of(Row row) {
            return text.apply(row.median(name)) + " (" + row.label() + ")";
        }
    }
}
