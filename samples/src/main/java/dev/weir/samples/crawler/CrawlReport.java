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

/** What a crawl did: every page with its time, and how close together the requests were on either side of the wire. */
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
     * Prints it.
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

    /** The last interval is shorter than the period: on their way to the server requests may move closer together. */
    private void printRates(PrintStream out) {
        Duration period = limit.period();
        Set<Duration> intervals = new LinkedHashSet<>(List.of(SECOND));
        intervals.add(period);
        intervals.add(period.dividedBy(100).multipliedBy(95));

        out.print("        requests");
        intervals.forEach(interval -> out.print(heading(interval)));
        out.println();
        printRow("client", client, intervals, out);
        server.ifPresent(log -> printRow("server", log, intervals, out));
    }

    private static void printRow(String side, RequestLog log, Collection<Duration> intervals, PrintStream out) {
        out.printf("%-6s  %8d", side, log.entries().size());
        intervals.forEach(interval -> out.printf("%" + heading(interval).length() + "d", log.mostInAny(interval)));
        out.println();
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
