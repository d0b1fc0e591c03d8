package dev.weir.samples.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FleetCommandRealTimeTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private int run(String... args) {
        PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
        Integer exit = FleetCommand.run(args, print, print).block(Duration.ofMinutes(1));
        return exit == null ? -1 : exit;
    }

    @Test
    @DisplayName("four JVMs crawl all pages through one limit")
    void crawls() {
        assertThat(run()).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("120 requests; the most in any second");
    }

    @Test
    @DisplayName("arguments that make no sense")
    void misuse() {
        assertThat(run("--what")).isEqualTo(2);
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("usage");
    }
}
