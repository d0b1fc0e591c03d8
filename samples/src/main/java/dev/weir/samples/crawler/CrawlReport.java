package dev.weir.samples.crawler;

import dev.weir.limit.SlidingWindowLog;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The report of a crawl: every page with its time, and how close together requests were, when sent and when received. */
final class CrawlReport {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SlidingWindowLog limit;
    private final RequestLog client;
    private final Optional<RequestLog> server;

    CrawlReport(SlidingWindowLog limit, RequestLog client, Optional<RequestLog> server) {
        this.limit = limit;
        this.client = client;
        this.server = server;
    }

    /**
     * Prints the report.
     *
     * @param problems what went wrong, by page
     */
    void print(Map<String, String> problems, PrintStream out) {
        printPages(problems, out);
        out.println();
        printRates(out);
    }

    private void printPages(Map<String, String> problems, PrintStream out) {
        List<RequestLog.Entry> entries = client.entries();
        long first = entries.get(0).nanos();
        int item = 0;
        out.println("item  seconds  page");
        for (RequestLog.Entry entry : entries) {
            double seconds = (entry.nanos() - first) / 1e9;
            String problem = problems.containsKey(entry.page()) ? "  (" + problems.get(entry.page()) + ")" : "";
            out.printf(Locale.ROOT, "%4d  %7.3f  %s%s%n", ++item, seconds, entry.page(), problem);
        }
    }

    private void printRates(PrintStream out) {
        Set<Duration> intervals = new LinkedHashSet<>(List.of(SECOND, limit.period()));
        out.print("         requests");
        intervals.forEach(interval -> out.print(heading(interval)));
        out.println(closestHeading());
        printRow("left", client, intervals, out);
        server.ifPresent(log -> {
            printRow("arrived", log, intervals, out);
            out.println();
            out.println("'left' is when the limiter let a request go. On its way one may be faster than another, so");
            out.println("that more may arrive in a period than left; a slightly longer period makes room for that.");
        });
    }

    private void printRow(String what, RequestLog log, Collection<Duration> intervals, PrintStream out) {
        out.printf("%-7s  %8d", what, log.entries().size());
        intervals.forEach(interval -> out.printf("%" + heading(interval).length() + "d", log.mostInAny(interval)));
        String closest = log.closest(limit.permits() + 1L)
                .map(time -> String.format(Locale.ROOT, "%.6f s", time.toNanos() / 1e9))
                .orElse("-");
        out.printf("%" + closestHeading().length() + "s%n", closest);
    }

    /** Returns the heading for the time that the limit enforces: never less than the period. */
    private String closestHeading() {
        return "  the closest %d within".formatted(limit.permits() + 1L);
    }

    private static String heading(Duration interval) {
        return "  most in any " + inSeconds(interval);
    }

    static String inSeconds(Duration duration) {
        BigDecimal seconds = BigDecimal.valueOf(duration.getSeconds())
                .add(BigDecimal.valueOf(duration.getNano(), 9))
                .stripTrailingZeros();
        return seconds.toPlainString() + " s";
    }
}
