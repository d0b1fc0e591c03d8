package dev.weir.samples.crawler;

import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the robots.txt of a site requires of every crawler.
 *
 * @param crawlDelay the average time between two requests
 * @param disallowed prefixes of paths that must not be crawled
 */
record Robots(Optional<Duration> crawlDelay, List<String> disallowed) {

    /** Parses the rules for user agent {@code *}; rules for others, and invalid lines, are ignored. */
    static Robots parse(String text) {
        Optional<Duration> crawlDelay = Optional.empty();
        List<String> disallowed = new ArrayList<>();
        boolean forEverybody = false;
        String previous = "";
        for (String line :
                text.lines().map(line -> line.replaceFirst("#.*", "")).toList()) {
            String[] rule = line.split(":", 2);
            String name = rule[0].strip().toLowerCase(Locale.ROOT);
            String value = rule.length == 2 ? rule[1].strip() : "";
            if (name.equals("user-agent")) {
                boolean sameGroup = previous.equals("user-agent") && forEverybody;
                forEverybody = sameGroup || value.equals("*");
            } else if (forEverybody && name.equals("crawl-delay")) {
                crawlDelay = seconds(value);
            } else if (forEverybody && name.equals("disallow") && !value.isEmpty()) {
                disallowed.add(value);
            }
            previous = name;
        }
        return new Robots(crawlDelay, List.copyOf(disallowed));
    }

    private static Optional<Duration> seconds(String value) {
        if (!value.matches("\\d{1,6}(\\.\\d{1,9})?")) {
            return Optional.empty();
        }
        return Optional.of(
                        Duration.ofNanos(new BigDecimal(value).movePointRight(9).longValueExact()))
                .filter(delay -> !delay.isZero());
    }

    boolean allows(URI url) {
        return disallowed.stream().noneMatch(url.getRawPath()::startsWith);
    }

    /** Returns the given limit, or one request per crawl delay if that is slower. */
    SlidingWindowLog slowed(SlidingWindowLog asked) {
        return crawlDelay
                .filter(delay -> delay.multipliedBy(asked.permits()).compareTo(asked.period()) > 0)
                .map(delay -> Limit.of(1, delay))
                .orElse(asked);
    }
}
