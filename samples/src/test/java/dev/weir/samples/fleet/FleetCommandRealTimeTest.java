package dev.weir.samples.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FleetCommandRealTimeTest {

    private static final Pattern GRANTED =
            Pattern.compile("granted by the store: +\\d+, the most in any second (\\d+)");
    private static final Pattern DECIDED =
            Pattern.compile("decided by the store: (\\d+); by a node on its own: (\\d+)");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
        PrintStream complaints = new PrintStream(err, true, StandardCharsets.UTF_8);
        Integer exit = FleetCommand.run(args, to, complaints).block(Duration.ofMinutes(1));
        return exit == null ? -1 : exit;
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }

    @Test
    @DisplayName("four JVMs crawl all pages through one limit, which the store keeps to the microsecond")
    void crawls() {
        int exit = run();

        String report = out.toString(StandardCharsets.UTF_8);
        assertThat(exit).as(err.toString(StandardCharsets.UTF_8)).isZero();
        assertThat(report).contains("arrived at the site:  120, the most in any second");
        Matcher granted = GRANTED.matcher(report);
        assertThat(granted.find()).as(report).isTrue();
        assertThat(number(granted, 1)).isLessThanOrEqualTo(20);
        Matcher decided = DECIDED.matcher(report);
        assertThat(decided.find()).as(report).isTrue();
        assertThat(number(decided, 1)).as(report).isPositive();
        assertThat(number(decided, 1) + number(decided, 2)).isEqualTo(120);
    }

    @Test
    @DisplayName("arguments that make no sense")
    void misuse() {
        assertThat(run("--what")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("unknown option: --what")
                .contains("usage: Fleet");
        assertThat(out.size()).isZero();
    }

    @Test
    @DisplayName("help is no error")
    void help() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("usage: Fleet");
        assertThat(err.size()).isZero();
    }

    @ParameterizedTest
    @DisplayName("an address that is none is refused in one line")
    @ValueSource(strings = {"nonsense", "http://127.0.0.1:6379", ""})
    void badAddress(String address) {
        assertThat(run("--redis", address)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).hasLineCount(1).contains("but is '" + address + "'");
        assertThat(out.size()).isZero();
    }

    @Test
    @DisplayName("a store that cannot be reached is said in one line, and nothing is announced")
    void nobodyThere() throws IOException {
        String nobody = "redis://127.0.0.1:" + unusedPort();

        assertThat(run("--redis", nobody)).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .hasLineCount(1)
                .startsWith("cannot reach the store at " + nobody + ": ");
        assertThat(out.size()).isZero();
    }

    @Test
    @DisplayName("a store that takes connections and never answers is given up after seconds, in one line")
    void nobodyAnswers() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String store = "redis://127.0.0.1:" + silent.getLocalPort();

            assertThat(run("--redis", store)).isEqualTo(1);
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .hasLineCount(1)
                    .startsWith("cannot reach the store at " + store + ": ");
            assertThat(out.size()).isZero();
        }
    }

    @Test
    @DisplayName("a node says what is wrong")
    void nodeInTrouble() {
        assertThat(run("--node", "node 1", "nonsense", "http://127.0.0.1:1")).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("IllegalArgumentException");
    }

    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
