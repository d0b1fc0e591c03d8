package dev.weir.samples.crawler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.samples.Crawler;
import dev.weir.samples.JvmOfSample;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class CrawlCommandTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void aCrawlEndsWithTheTableAndTheRates() {
        assertThat(run("--pages", "3", "--rate", "2", "--per", "100ms")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains(
                        "on Reactor: 3 pages, at most 2 in any 0.1 s (crawl delay of robots.txt: 0.05 s, kept on average)")
                .contains("3 of 3 pages: 200 /")
                .containsPattern("item +seconds +page\\R +1 +0\\.000 +/\\R")
                .containsPattern("requests  most in any 1 s  most in any 0\\.1 s  the closest 3 within")
                .containsPattern("left +3 +3 +2 +0\\.[1-9]\\d+ s\\R")
                .containsPattern("arrived +3 +3 +[23] +0\\.\\d+ s\\R")
                .contains("more may arrive in a period than left");
        assertThat(err.size()).isZero();
    }

    @Test
    void rxSaysSo() {
        assertThat(run("--pages", "1", "--rx")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8)).contains("on RxJava: 1 pages");
    }

    @Test
    void badArgumentsGetOneLineAndTheUsage() {
        assertThat(run("--rate", "0")).isEqualTo(2);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("--rate must be a whole number, 1 or more, but is '0'%n".formatted() + CrawlArguments.USAGE);
    }

    @Test
    void helpIsNoError() {
        assertThat(run("--help")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(CrawlArguments.USAGE);
    }

    @Test
    void aHostThatCannotBeReachedIsSaidInOneLine() throws IOException {
        String nobody = "http://127.0.0.1:" + unusedPort() + "/";

        assertThat(run("--url", nobody)).isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("cannot crawl " + nobody + ": connection refused%n".formatted());
    }

    @Test
    void theProcessExitsWithTheCode() throws IOException, InterruptedException {
        assertThat(exitCode("--pages", "2")).isZero();
        assertThat(exitCode("--url", "http://127.0.0.1:" + unusedPort())).isEqualTo(1);
        assertThat(exitCode("--pages", "none")).isEqualTo(2);
    }

    private int run(String... args) {
        PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
        PrintStream complaints = new PrintStream(err, true, StandardCharsets.UTF_8);
        return CrawlCommand.run(args, to, complaints).block(PATIENCE);
    }

    private static int exitCode(String... args) throws IOException, InterruptedException {
        return JvmOfSample.exitCode(Crawler.class, args);
    }

    private static int unusedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
