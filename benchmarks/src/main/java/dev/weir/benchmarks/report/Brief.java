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
            Line.least("a decision, one thread, ns", "A", Map.of("threads", "1"), "TOKENS", "nanos")
                    .among(Targets::isByTime),
            Line.least("a decision, eight threads, ns", "A", Map.of("threads", "8"), "EXACT_100", "nanos")
                    .among(Targets::isByTime),
            Line.least("an element of a stream, ns", "C", Map.of(), "FLUX_OWN", "nanos")
                    .among(Targets::isLimiterOfElements),
            Line.least("an element, the limit is shared, ns", "C", Map.of(), "FLUX_SHARED", "nanos")
                    .among(Targets::isLimiterOfElements),
            Line.most(
                            "part used of 10,000/s, no window over the limit",
                            "D",
                            Map.of("shape", "WINDOWS", "perSecond", "10000"),
                            "FLUX_OWN",
                            "reached")
                    .among(row -> row.median("worstWindow") <= 1)
                    .inPercent(),
            Line.least("one of a million that wait, bytes", "E", Map.of("requests", "1000000"), "FUTURE", "bytes"),
            Line.least("to cancel one of them, ns", "E", Map.of("requests", "1000000"), "FUTURE", "leaveNanos"),
            Line.least("one of a million keys, bytes", "F", Map.of("keys", "1000000"), "TOKENS", "bytes"),
            Line.most(
                    "fleet, 256 callers of a key, decisions/s",
                    "H",
                    Map.of("callers", "256", "keys", "1"),
                    "EXACT",
                    "perSecond"),
            Line.least("fleet, one caller, us", "H", Map.of("callers", "1", "keys", "1"), "EXACT", "p50"));

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
                Optional<Row> best = rows.stream().filter(line.peers).min(line.bestFirst);
                table.line(List.of(
                        line.what, line.figureOf(ours), best.map(line::figureOf).orElse("none")));
            });
        }
        return table.toString();
    }

    /** What is compared, and with whom: those of the same section and setting that do the same. */
    private record Line(
            String what,
            String section,
            Map<String, String> setting,
            String ours,
            String figure,
            Predicate<Row> peers,
            Comparator<Row> bestFirst,
            DoubleFunction<String> text) {

        static Line least(String what, String section, Map<String, String> setting, String ours, String figure) {
            return new Line(what, section, setting, ours, figure, Line::isPeer, by(figure), Tables::rounded);
        }

        static Line most(String what, String section, Map<String, String> setting, String ours, String figure) {
            return new Line(
                    what,
                    section,
                    setting,
                    ours,
                    figure,
                    Line::isPeer,
                    by(figure).reversed(),
                    Tables::rounded);
        }

        Line among(Predicate<Row> those) {
            return new Line(what, section, setting, ours, figure, peers.and(those), bestFirst, text);
        }

        Line inPercent() {
            return new Line(what, section, setting, ours, figure, peers, bestFirst, Tables::percent);
        }

        String figureOf(Row row) {
            return text.apply(row.median(figure)) + " (" + row.label() + ")";
        }

        private static boolean isPeer(Row row) {
            return row.kind() == Kind.PEER;
        }

        private static Comparator<Row> by(String figure) {
            return Comparator.comparingDouble(row -> row.median(figure));
        }
    }
}
