package dev.weir.webflux;

import java.util.List;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** Parses path patterns as Spring's handler mappings do. */
final class Paths {

    private static final PathPatternParser PARSER = PathPatternParser.defaultInstance;

    private Paths() {}

    /** Parses patterns, adding a missing leading slash: without it a pattern would match no path, and a limit would never apply. */
    static List<PathPattern> parse(String... patterns) {
        return Arguments.each(patterns, "patterns")
                .map(pattern -> PARSER.parse(PARSER.initFullPathPattern(pattern)))
                .toList();
    }
}
