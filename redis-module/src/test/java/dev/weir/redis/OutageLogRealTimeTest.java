package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.resource.ClientResources;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What an application finds in its log whose server is at another address. */
class OutageLogRealTimeTest {

    private static final Logger LOGGER = Logger.getLogger("dev.weir.redis");

    /** Bound but not listening: connections are refused, and nobody else gets the port. */
    private final Socket nobody = new Socket();

    private int port;
    private final Queue<String> threads = new ConcurrentLinkedQueue<>();
    private final Queue<LogRecord> records = new ConcurrentLinkedQueue<>();

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord written) {
            if (String.valueOf(written.getThrown()).contains(":" + port)) { // others of this JVM may write, too
                threads.add(Thread.currentThread().getName());
                records.add(written);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void takePort() throws IOException {
        nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        port = nobody.getLocalPort();
    }

    @AfterEach
    void freePort() throws IOException {
        nobody.close();
    }

    @Test
    @DisplayName("a warning, with the reason, from a thread that may block, though nothing has been asked")
    void wrongAddress() throws Exception {
        ClientResources resources = Clients.resources();
        RedisClient client = Clients.of(resources, port, Integer.MAX_VALUE);
        LOGGER.addHandler(handler);
        try (RedisRateLimiters fleet = RedisRateLimiters.connect(client, RedisOptions.defaults())) {
            await().untilAsserted(() -> assertThat(records).isNotEmpty());
            assertThat(fleet).isNotNull();
        } finally {
            LOGGER.removeHandler(handler);
            client.shutdown(0, 1, TimeUnit.SECONDS);
            resources.shutdown(0, 1, TimeUnit.SECONDS).get();
        }
        assertThat(records).singleElement().satisfies(warning -> {
            assertThat(warning.getLevel()).isEqualTo(Level.WARNING);
            assertThat(warning.getMessage()).contains("(LOCAL)");
            assertThat(warning.getThrown()).isInstanceOf(RedisConnectionException.class);
        });
        assertThat(threads).allMatch(name -> name.startsWith("weir-worker-"));
    }
}
