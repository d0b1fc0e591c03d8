package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.VirtualTimeSource;
import io.lettuce.core.api.StatefulConnection;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A server that is not there yet, in virtual time. */
class LateConnectionTest {

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final List<Long> attempts = new ArrayList<>();
    private final List<Throwable> outages = new ArrayList<>();
    private final StatefulConnection<String, String> connection = connection();
    private final LateConnection<StatefulConnection<String, String>> late = new LateConnection<>(
            this::attempt,
            made -> (script, keys, arguments, listener) -> listener.replied("there"),
            outages::add,
            time);
    private boolean isThere;
    private Runnable meanwhile = () -> {};
    private int closings;

    @SuppressWarnings("unchecked") // the only interface that it has
    private StatefulConnection<String, String> connection() {
        return (StatefulConnection<String, String>) Proxy.newProxyInstance(
                StatefulConnection.class.getClassLoader(),
                new Class<?>[] {StatefulConnection.class},
                (proxy, called, values) -> {
                    assertThat(called.getName()).isEqualTo("closeAsync");
                    closings++;
                    return CompletableFuture.completedFuture(null);
                });
    }

    private StatefulConnection<String, String> attempt() throws IOException {
        attempts.add(time.nanoTime());
        meanwhile.run();
        if (!isThere) {
            throw new IOException("attempt " + attempts.size());
        }
        return connection;
    }

    private List<String> answers() {
        List<String> heard = new ArrayList<>();
        late.run(Script.of("return 1"), new String[0], new String[0], new Commands.Listener() {

            @Override
            public void replied(String reply) {
                heard.add(reply);
            }

            @Override
            public void failed(Throwable cause) {
                assertThat(cause).isInstanceOf(NotConnectedException.class);
                heard.add(cause.getCause().getMessage());
            }
        });
        return heard;
    }

    @Test
    @DisplayName("is tried again after pauses that grow from 100 milliseconds to five seconds")
    void pauses() {
        late.connect();
        time.advanceBy(Duration.ofMinutes(1));
        List<Long> pauses = IntStream.range(1, attempts.size())
                .mapToObj(i ->
                        Duration.ofNanos(attempts.get(i) - attempts.get(i - 1)).toMillis())
                .toList();
        assertThat(pauses)
                .hasSize(16)
                .startsWith(100L, 200L, 400L, 800L, 1_600L, 3_200L)
                .endsWith(IntStream.range(6, 16).mapToObj(i -> 5_000L).toArray(Long[]::new));
        assertThat(outages).extracting(Throwable::getMessage).hasSize(17).endsWith("attempt 17");
    }

    @Test
    @DisplayName(
            "until then calls fail, with the reason of the latest attempt; then it is the client that connects again")
    void connects() {
        late.connect();
        time.advanceBy(SHORTEST);
        assertThat(answers()).containsExactly("attempt 2");
        isThere = true;
        time.advanceBy(HOUR);
        assertThat(attempts).hasSize(3);
        assertThat(answers()).containsExactly("there");
        assertThat(closings).isZero();
        late.close();
        late.close();
        assertThat(closings).isEqualTo(1);
    }

    @Test
    @DisplayName("is not tried any more once closed")
    void closed() {
        late.connect();
        late.close();
        time.advanceBy(HOUR);
        assertThat(attempts).hasSize(1);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("closed during an attempt that fails, tells nobody, and sets no timer")
    void closedWhileFailing() {
        meanwhile = late::close;
        late.connect();
        assertThat(time.pendingTasks()).isZero();
        assertThat(outages).isEmpty();
    }

    @Test
    @DisplayName("closed during an attempt that succeeds, closes the connection that comes late")
    void comesLate() {
        late.connect();
        isThere = true;
        meanwhile = late::close;
        time.advanceBy(SHORTEST);
        assertThat(attempts).hasSize(2);
        assertThat(closings).isEqualTo(1);
    }
}
