package dev.weir.benchmarks.report;

import dev.weir.benchmarks.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** What our contenders are to reach, each held against the others of the same run. */
final class Targets {

    /** Less is what the measuring itself allocates. */
    private static final double NO_BYTES = 1;

    private static final Set<String> ONE_WORD = Set.of(
            "TOKENS", "TOKENS_CONSUMED", "LEAKY", "FIXED", "EXACT_5", "EXACT_100", "EXACT_100_CONSUMED", "EXACT_1024");
    private static final Set<String> CONSTANT_SIZE = Set.of("TOKENS", "LEAKY", "FIXED", "COUNTER");

    private final Results results;
    private final FleetTargets fleet;

    Targets(Results results) {
        this.results = results;
        this.fleet = new FleetTargets(results);
    }

    /** Each with how far a floor got, if there is one that does no more than what this contender cannot do without. */
    List<Check> of(Row row) {
        if (row.kind() != Kind.OURS) {
            return List.of();
        }
        List<Check> checks = checks(row);
        return other(row, floorOf(row))
                .map(floor -> beside(checks, floor.label(), checks(row.with(floor.figures()))))
                .orElse(checks);
    }

    private static List<Check> beside(List<Check> checks, String label, List<Check> floors) {
        return IntStream.range(0, checks.size())
                .mapToObj(i -> checks.get(i).beside(label, floors.get(i)))
                .toList();
    }

    private static String floorOf(Row row) {
        return switch (row.section()) {
            case "A" -> row.id().equals("CONCURRENCY") ? "SEMAPHORE_ON_LOAN" : "CLOCK_AND_CAS";
            case "B" -> "CLOCK";
            case "D" -> "LOOKING";
            case "E" -> "TIMED_NODES";
            case "H" -> row.id().endsWith("_AHEAD") ? "" : "SCRIPT_ELSEWHERE";
            default -> "";
        };
    }

    private List<Check> checks(Row row) {
        List<Check> checks = new ArrayList<>();
        switch (row.section()) {
            case "A" -> granted(row, checks);
            case "B" -> refused(row, checks);
            case "C" -> streams(row, checks);
            case "D" -> shaping(row, checks);
            case "E" -> waiting(row, checks);
            case "F" -> crowds(row, checks);
            case "H" -> checks.addAll(fleet.of(row));
            default -> {}
        }
        return checks;
    }

    private void granted(Row row, List<Check> checks) {
        boolean alone = row.setting().equals(Map.of("threads", "1"));
        if (ONE_WORD.contains(row.id())) {
            checks.add(Check.atMost("x nanoTime + CAS", row.times(), alone ? 1.10 : 1.15));
            results.of("A", row.setting())
                    .filter(Targets::isByTime)
                    .mapToDouble(Row::times)
                    .min()
                    .ifPresent(best -> checks.add(Check.atMost("x best peer", row.times() / best, 1)));
            noBytes(row, 0, checks);
        } else if (row.id().equals("CONCURRENCY") && alone) {
            times(row, "SEMAPHORE", 1.5, checks);
            noBytes(row, 0, checks);
        }
    }

    static boolean isByTime(Row row) {
        return row.kind() == Kind.PEER && row.isMeasured() && !row.id().endsWith("BULKHEAD");
    }

    static boolean isLimiterOfElements(Row row) {
        return row.kind() == Kind.PEER && !row.id().equals("PEKKO_MAP");
    }

    private void refused(Row row, List<Check> checks) {
        checks.add(Check.atMost("x nanoTime", row.times(), 1.15));
        noBytes(row, 0, checks);
    }

    private void streams(Row row, List<Check> checks) {
        switch (row.id()) {
            case "FLUX_OWN" -> {
                times(row, "FLUX_CLOCK", 1.25, checks);
                other(row, "FLUX_MAP").ifPresent(map -> noBytes(row, map.median("bytes"), checks));
                ahead(row, "PEKKO_THROTTLE", 2.5, checks);
                ahead(row, "RESILIENCE4J", 4, checks);
            }
            case "FLUX_OWN_10K", "FLUX_OWN_BILLION" -> times(row, "FLUX_MAP", 3, checks);
            case "FLUX_SHARED" -> times(row, "FLUX_CLOCK", 1.5, checks);
            case "FLOWABLE_OWN", "FLOWABLE_SHARED" -> times(row, "FLOWABLE_CLOCK", 1.5, checks);
            default -> {}
        }
    }

    private static void shaping(Row row, List<Check> checks) {
        int perSecond = Integer.parseInt(row.setting().getOrDefault("perSecond", "0"));
        boolean mayCatchUp =
                row.id().endsWith("_SLACK") || "WINDOWS".equals(row.setting().get("shape"));
        if (mayCatchUp) {
            checks.add(Check.atLeast("reached", row.median("reached"), perSecond > 10_000 ? 0.99 : 0.999));
        }
        checks.add(Check.atMost("worst window", row.median("worstWindow"), 1));
        checks.add(Check.atMost("p99 late, us", row.median("lateP99"), 1_000));
        if (perSecond == 1_000) {
            checks.add(Check.atMost("processor", row.median("cpu"), 0.15));
        }
    }

    private void waiting(Row row, List<Check> checks) {
        if (row.id().startsWith("CALLBACK")) {
            // A collector counts what it pleases of the machine's own between two looks.
            checks.add(Check.atMost("bytes", row.median("bytes"), 64.5));
            other(row, "NODES").ifPresent(nodes -> {
                checks.add(Check.atMost("x enter", row.median("enterNanos") / nodes.median("enterNanos"), 2));
                checks.add(Check.atMost("x cancel", row.median("leaveNanos") / nodes.median("leaveNanos"), 2));
            });
        }
        checks.add(Check.atMost("timers", row.median("timers"), 1));
        checks.add(Check.atMost("left waiting", row.median("leftWaiting"), 0));
        checks.add(Check.atMost("left bytes each", row.median("leftBytes"), 1));
    }

    private void crowds(Row row, List<Check> checks) {
        if (CONSTANT_SIZE.contains(row.id())) {
            other(row, "MAP")
                    .ifPresent(map -> checks.add(
                            Check.atMost("bytes beyond the entry", row.median("bytes") - map.median("bytes"), 96.5)));
        }
        checks.add(Check.atMost("timers", row.median("timers"), 1));
        if (row.id().equals("SHARED")) {
            results.of("F", Map.of())
                    .filter(few -> few.id().equals("SHARED"))
                    .min((one, other) -> Integer.compare(streams(one), streams(other)))
                    .filter(few -> streams(few) < streams(row))
                    .ifPresent(few -> checks.add(Check.atMost(
                            "x " + streams(few) + " streams", row.median("cpuNanos") / few.median("cpuNanos"), 1.5)));
        }
    }

    private static int streams(Row row) {
        return Integer.parseInt(row.setting().getOrDefault("streams", "0"));
    }

    private void times(Row row, String id, double most, List<Check> checks) {
        other(row, id)
                .ifPresent(floor -> checks.add(Check.atMost("x " + floor.label(), row.times() / floor.times(), most)));
    }

    private void ahead(Row row, String id, double least, List<Check> checks) {
        other(row, id)
                .ifPresent(peer ->
                        checks.add(Check.atLeast("ahead of " + peer.label(), peer.times() / row.times(), least)));
    }

    private static void noBytes(Row row, double given, List<Check> checks) {
        checks.add(Check.atMost("bytes", row.median("bytes"), given + NO_BYTES));
    }

    /** Another contender in the same setting. */
    Optional<Row> other(Row row, String id) {
        return results.of(row.section(), row.setting())
                .filter(other -> other.id().equals(id) && other.isMeasured())
                .findFirst();
    }
}
