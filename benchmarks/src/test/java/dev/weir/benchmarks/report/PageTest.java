package dev.weir.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Results that are known, and the page that they are to give. */
class PageTest {

    @TempDir
    private Path directory;

    @Test
    @DisplayName("a page reads the results that were written")
    void results() throws IOException {
        Path file = directory.resolve("below/results.json");
        Results known = known();
        known.write(file);
        assertThat(Results.read(file)).isEqualTo(known);
    }

    @Test
    @DisplayName(
            "costs are by what the yardstick took beside them, so that one who was measured in a slow minute is none the worse for it")
    void costs() throws IOException {
        assertThat(new Tables(known()).decisions("A", "1", "nanoTime + CAS")).isEqualTo(golden("costs.md"));
    }

    @Test
    @DisplayName(
            "elements of streams are by those of a floor, each by its yardstick, and a map of another library is no peer")
    void elements() throws IOException {
        assertThat(new Tables(known()).elements("FLUX_MAP"))
                .contains("| Flux, map | 4 | 40 | 16 | 1 | 0.04 |  |")
                .contains("| **Flux, own limiter** | 12 | 30 | 16 | 4 | 0.16 | met |")
                .contains("| Pekko, map | 9 | 30 | 40 | 3 | 0.12 |  |")
                .contains("| Pekko, throttle | 50 | 20 | 40 | 25 | 1 |  |");
    }

    @Test
    @DisplayName(
            "in short, each figure stands beside the best of the peers that do the same, and of the shapers those that keep the limit")
    void brief() throws IOException {
        assertThat(new Tables(known()).brief()).isEqualTo(golden("brief.md"));
    }

    @Test
    @DisplayName("the summary counts what is met and names what is missed")
    void summary() throws IOException {
        assertThat(new Tables(known()).summary()).isEqualTo(golden("summary.md"));
    }

    @Test
    @DisplayName("beside what is missed stands what the floor of the same setting got, by the same measure")
    void floors() throws IOException {
        Map<String, String> setting = Map.of("shape", "WINDOWS", "perSecond", "10000");
        Row ours = new Row("D", "FLUX_OWN", "ours", Kind.OURS, setting, shaped(0.98, 1, 1_200));
        Row floor = new Row("D", "LOOKING", "a thread", Kind.FLOOR, setting, shaped(0.998, 1, 40));
        assertThat(new Tables(known().with(List.of(floor, ours))).summary())
                .contains("| D | 1 | 2 | 1 |")
                .contains("- D, ours, 10000 perSecond, WINDOWS shape: reached 0.98 (at least 0.999; a thread: 0.998)")
                .contains(
                        "- D, ours, 10000 perSecond, WINDOWS shape: p99 late, us 1,200 (at most 1,000; a thread: 40)");
    }

    private static Map<String, List<Double>> shaped(double reached, double worstWindow, double lateP99) {
        return Map.of("reached", List.of(reached), "worstWindow", List.of(worstWindow), "lateP99", List.of(lateP99));
    }

    @Test
    @DisplayName("a contender that failed is in the table")
    void failed() throws IOException {
        Tables tables = new Tables(known());
        assertThat(tables.shaping("EVEN", 10_000)).contains("| zip | failed |");
        assertThat(tables.decisions("A", "2", "nanoTime + CAS")).contains("| hangs | failed |");
        assertThat(tables.waiting(1_000_000)).contains("| hangs | failed |");
        assertThat(tables.keys(1_000_000)).contains("| hangs | failed |");
        assertThat(tables.streams()).contains("| hangs | failed |");
        assertThat(tables.fleet(1, 256)).contains("| Redisson | failed |");
    }

    @Test
    @DisplayName("limits that nodes share stand beside the best of the peers")
    void fleet() throws IOException {
        assertThat(new Tables(known()).fleet(1, 256))
                .contains("| **exact window** | 60,000 | 40 | 80 | 0.05 | 1.5 | 8 | met |");
        assertThat(new Tables(known()).fleetWaiters(1_000))
                .contains(
                        "| **exact window** | 3,002 | 2 | 1.1 | 1 | 0.02 | 3 | missed: worst window 1.1 (at most 1) |");
    }

    @Test
    @DisplayName("the page has no gaps, and its plots are there and well-formed")
    void page() throws Exception {
        new Page(known()).write(directory);
        String text = Files.readString(directory.resolve("performance.md"));
        assertThat(text).doesNotContain("{{").contains("2026-11-21T12:00:00Z", "Some Processor", "`mvn something`");
        try (Stream<Path> plots = Files.list(directory.resolve("performance"))) {
            List<Path> drawn = plots.toList();
            assertThat(drawn).isNotEmpty();
            for (Path plot : drawn) {
                var builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
                assertThat(builder.parse(plot.toFile()).getDocumentElement().getTagName())
                        .isEqualTo("svg");
                assertThat(text).contains("performance/" + plot.getFileName());
            }
        }
    }

    private Results known() throws IOException {
        Path file = directory.resolve("known.json");
        Files.writeString(file, golden("known.json"));
        return Results.read(file);
    }

    private static String golden(String name) throws IOException {
        try (InputStream file = PageTest.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new AssertionError(name + " is missing");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
