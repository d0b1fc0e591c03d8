package dev.weir.webflux;

import java.util.List;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** Reads patterns of paths as the handlers of Spring do. */
final class Paths {

    private static final PathPatternParser PARSER = PathPatternParser.defaultInstance;

    private Paths() {}

    /** Without a slash at the beginning a pattern would match no path at all, and the limit would silently be none. */
    static List<PathPattern> parse(String... patterns) {
        return Arguments.each(patterns, "patterns")
                .map(pattern -> PARSER.parse(PARSER.initFullPathPattern(pattern)))
                .toList();
    }
}
