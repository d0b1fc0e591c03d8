package dev.weir.benchmarks.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The page about performance: a text with gaps, which the results fill. Nothing else writes a number into it. */
public final class Page {

    private static final String TEMPLATE = "performance.md";
    private static final Pattern SPACES = Pattern.compile(" +");
    private static final Pattern GAP = Pattern.compile("\\{\\{([^}]+)}}");

    private final Results results;
    private final Tables tables;

    public Page(Results results) {
        this.results = results;
        this.tables = new Tables(results);
    }

    /** Writes the page into a directory, and its plots into one below. */
    public void write(Path directory) throws IOException {
        Path plots = directory.resolve("performance");
        Files.createDirectories(plots);
        for (Map.Entry<String, String> plot : Plots.of(results).entrySet()) {
            Files.writeString(plots.resolve(plot.getKey()), plot.getValue());
        }
        Files.writeString(directory.resolve(TEMPLATE), text());
    }

    String text() throws IOException {
        try (InputStream template = Page.class.getResourceAsStream(TEMPLATE)) {
            if (template == null) {
                throw new IllegalStateException(TEMPLATE + " is missing");
            }
            String text = new String(template.readAllBytes(), StandardCharsets.UTF_8);
            return GAP.matcher(text).replaceAll(gap -> Matcher.quoteReplacement(filled(gap)));
        }
    }

    /** A gap is a name and arguments. */
    private String filled(MatchResult gap) {
        List<String> words = SPACES.splitAsStream(gap.group(1).trim()).toList();
        return switch (words.get(0)) {
            case "date" -> results.date();
            case "command" -> results.command();
            case "machine" -> machine();
            case "brief" -> tables.brief();
            case "summary" -> tables.summary();
            case "decisions" ->
                tables.decisions(words.get(1), words.get(2), String.join(" ", words.subList(3, words.size())));
            case "streams" -> tables.elements(words.get(1));
            case "shaping" -> tables.shaping(words.get(1), Integer.parseInt(words.get(2)));
            case "waiting" -> tables.waiting(Integer.parseInt(words.get(1)));
            case "keys" -> tables.keys(Integer.parseInt(words.get(1)));
            case "crowds" -> tables.streams();
            case "fleet" -> tables.fleet(Integer.parseInt(words.get(1)), Integer.parseInt(words.get(2)));
            case "fleet-waiters" -> tables.fleetWaiters(Integer.parseInt(words.get(1)));
            default -> throw new IllegalStateException("nothing fills " + gap.group());
        };
    }

    private String machine() {
        Machine machine = results.machine();
        return machine.processor() + ", " + machine.processors() + " processors; " + machine.system() + "; "
                + machine.machine() + "; load when it began " + Check.number(machine.load());
    }
}
