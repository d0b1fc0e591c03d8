package dev.weir.samples.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class DriverCommandTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void admitsWhatIsOfferedUpToTheLimitAndShowsTheFullestSecond() {
        assertThat(run()).isZero();

        assertThat(row("offered per second")).containsExactly("1", "2", "5", "10", "20", "25", "50", "100");
        assertThat(row("sliding window, exact"))
                .containsExactly(
                        "1.00/1", "2.00/2", "5.00/5", "10.00/10", "10.00/10", "10.00/10", "10.00/10", "10.00/10");
        assertThat(row("leaky bucket")).last().asString().endsWith("/10");
        assertThat(row("sliding window, 10 segments")).last().asString().endsWith("/10");
        assertThat(row("bucket and window at once")).last().asString().endsWith("/10");
        assertThat(row("unlimited")).last().isEqualTo("100.00/100");
    }

    @Test
    void showsTheKnownWeaknesses() {
        run();

        // Ten at the end of one window and ten at the beginning of the next.
        assertThat(row("fixed window, aligned")).element(4).asString().endsWith("/20");
        // What was saved up, and what flows in meanwhile.
        assertThat(row("token bucket"))
                .last()
                .satisfies(cell -> assertThat(most(cell)).isBetween(19, 20));
        assertThat(row("token bucket, in steps"))
                .last()
                .satisfies(cell -> assertThat(most(cell)).isBetween(19, 20));
    }

    @Test
    void whatItDoesNotKnowIsNamed() {
        assertThat(run("--fast")).isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("unknown option: --fast")
                .contains("usage:");
        assertThat(out.size()).isZero();
    }

    @Test
    void helpIsNoError() {
        assertThat(run("--help")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("usage:");
        assertThat(err.size()).isZero();
    }

    private int run(String... args) {
        return DriverCommand.run(
                args,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private List<String> row(String name) {
        String row = out.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith(name + "  "))
                .findFirst()
                .orElseThrow();
        return List.of(row.substring(name.length()).strip().split(" +", -1));
    }

    private static int most(String cell) {
        return Integer.parseInt(cell.substring(cell.indexOf("/") + 1));
    }
}
