package dev.weir.samples.fleet;

import dev.weir.samples.Intervals;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The report of a fleet.
 *
 * @param grants when the store granted permits, by its clock
 * @param requests when pages were requested, by the clock of the site
 * @param decisions what granted them
 */
record FleetReport(Supplier<LongStream> grants, Supplier<LongStream> requests, Decisions decisions) {

    private static final Duration PERIOD = FleetNode.LIMIT.period();

    void print(PrintStream out) {
        Map<Long, Long> granted = bySecond(grants);
        Map<Long, Long> arrived = bySecond(requests);
        out.println("second  granted  arrived");
        arrived.forEach((second, count) -> out.printf(
                "%6d  %7d  %7d  %s%n",
                second + 1, granted.getOrDefault(second, 0L), count, "*".repeat(Math.toIntExact(count))));
        out.println();
        printRow("granted by the store", grants, out);
        printRow("arrived at the site", requests, out);
        out.printf(
                "%nThe store keeps the limit by its clock. Its answers and the requests after them travel, some faster than others,%n"
                        + "so that more may arrive in a second than were granted in any.%n%n");
        out.printf("decided by the store: %d; by a node on its own: %d%n", decisions.remote(), decisions.alone());
        if (decisions.alone() > 0) {
            out.println("A node on its own, as the store does not answer in time, keeps a share of the limit.");
        }
    }

    /** Counts the times in each second, beginning with the earliest. */
    private static Map<Long, Long> bySecond(Supplier<LongStream> nanos) {
        long first = nanos.get().min().orElse(0);
        return nanos.get()
                .boxed()
                .collect(Collectors.groupingBy(
                        time -> (time - first) / Duration.ofSeconds(1).toNanos(), TreeMap::new, Collectors.counting()));
    }

    private static void printRow(String what, Supplier<LongStream> nanos, PrintStream out) {
        int beyond = FleetNode.LIMIT.permits() + 1;
        String closest = Intervals.closest(nanos.get(), beyond)
                .map(time -> String.format(Locale.ROOT, "; the closest %d within %.6f s", beyond, time.toNanos() / 1e9))
                .orElse("");
        out.printf(
                "%-21s %3d, the most in any second %d%s%n",
                what + ":", nanos.get().count(), Intervals.mostInAny(nanos.get(), PERIOD), closest);
    }
}
