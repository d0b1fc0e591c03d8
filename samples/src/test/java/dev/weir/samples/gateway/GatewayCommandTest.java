package dev.weir.samples.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.samples.BrokenStream;
import dev.weir.samples.Gateway;
import dev.weir.samples.JvmOfSample;
import dev.weir.samples.LoopThreads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

class GatewayCommandTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PrintStream reports = new PrintStream(out, true, StandardCharsets.UTF_8);
    private final PrintStream complaints = new PrintStream(err, true, StandardCharsets.UTF_8);

    @Test
    @DisplayName("a taken port is said in one line, with the option that helps, and no thread is left")
    void takenPort() throws IOException {
        try (ServerSocket taken = listening()) {
            String port = Integer.toString(taken.getLocalPort());

            assertThat(run("--port", port)).isEqualTo(1);

            assertThat(err.toString(StandardCharsets.UTF_8))
                    .hasLineCount(1)
                    .contains("port " + port)
                    .contains("--port");
            assertThat(out.size()).isZero();
        }
        LoopThreads.assertNoneIsLeft("gateway");
    }

    @Test
    @DisplayName("a load whose report cannot be printed ends in one line, and no thread is left")
    void brokenLoad() {
        String[] args = {"--load", "500", "5"};

        assertThat(GatewayCommand.run(args, BrokenStream.open(), complaints).block(PATIENCE))
                .isEqualTo(1);

        assertThat(err.toString(StandardCharsets.UTF_8)).hasLineCount(1).contains("no space left");
        LoopThreads.assertNoneIsLeft("gateway");
    }

    @Test
    @DisplayName("an application that is cancelled closes")
    void cancelled() {
        String[] args = {"--port", "0"};
        Disposable application = GatewayCommand.run(args, reports, complaints).subscribe();
        await().atMost(PATIENCE)
                .until(() -> out.toString(StandardCharsets.UTF_8).startsWith("open at http://127.0.0.1:"));

        application.dispose();

        LoopThreads.assertNoneIsLeft("gateway");
        assertThat(err.size()).isZero();
    }

    @Test
    @DisplayName("bad arguments get one line and the usage, and help is no error")
    void arguments() {
        assertThat(run("--port", "x")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("--port needs a number from 0 to 65535, not 'x'%nusage: Gateway".formatted());
        assertThat(out.size()).isZero();

        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("usage: Gateway");
    }

    @Test
    @DisplayName("the process exits with the code")
    void exitCodes() throws IOException, InterruptedException {
        try (ServerSocket taken = listening()) {
            assertThat(JvmOfSample.exitCode(Gateway.class, "--port", Integer.toString(taken.getLocalPort())))
                    .isEqualTo(1);
        }
        assertThat(JvmOfSample.exitCode(Gateway.class, "--port")).isEqualTo(2);
    }

    private Integer run(String... args) {
        return GatewayCommand.run(args, reports, complaints).block(PATIENCE);
    }

    private static ServerSocket listening() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }
}
