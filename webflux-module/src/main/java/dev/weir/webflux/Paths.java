package dev.weir.webflux;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.springframework.http.server.PathContainer;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** Parses path patterns and compares them with paths; they match as the parser says: as Spring's handler mappings do if it is theirs. */
final class Paths {

    private Paths() {}

    /**
     * Parses patterns, at least one and none of them blank, adding a missing leading slash: otherwise a pattern would match no path
     * that is meant, and a limit would never apply.
     */
    static List<PathPattern> parse(PathPatternParser parser, String... patterns) {
        Objects.requireNonNull(parser, "parser");
        List<PathPattern> parsed = Arguments.each(patterns, "patterns")
                .map(pattern -> parser.parse(parser.initFullPathPattern(notBlank(pattern))))
                .toList();
        if (parsed.isEmpty()) {
            throw new IllegalArgumentException("there must be at least 1 pattern, but there are 0");
        }
        return parsed;
    }

    private static String notBlank(String pattern) {
        if (pattern.isBlank()) { // as from a variable without a value
            throw new IllegalArgumentException("a pattern must not be blank");
        }
        return pattern;
    }

    /** Returns those of the patterns that match the path of a request, in their order. */
    static Stream<PathPattern> matching(ServerWebExchange exchange, List<PathPattern> patterns) {
        PathContainer path = exchange.getRequest().getPath().pathWithinApplication();
        return patterns.stream().filter(pattern -> pattern.matches(path));
    }
}
