package dev.weir.webflux;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.Disposable;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;

/** A server and a client on the loopback interface: requests wait at the one, until the other aborts them all. */
final class SocketStorm implements AutoCloseable {

    private static final Duration LONG = ofSeconds(90);
    private static final long SLACK_BYTES = 8L << 20;

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter;
    private final DisposableServer server;
    private final ConnectionProvider connections;
    private final HttpClient client;

    SocketStorm(HttpProtocol protocol, ConnectionProvider connections) {
        this.limiter =
                RateLimiter.builder(Limit.of(1, ofHours(1))).timeSource(time).build();
        this.server = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .protocol(protocol)
                .handle(new ReactorHttpHandlerAdapter(WebHttpHandlerBuilder.webHandler(
                                exchange -> exchange.getResponse().setComplete())
                        .filter(RateLimitWebFilter.builder()
                                .limit(limiter)
                                .waiting()
                                .build())
                        .codecConfigurer(ServerCodecConfigurer.create())
                        .build()))
                .bindNow();
        this.connections = connections;
        this.client = HttpClient.create(connections)
                .protocol(protocol)
                .host("127.0.0.1")
                .port(server.port());
    }

    /** Sends so many requests and aborts them: nothing of them is left, in the queue, the books or the memory. */
    void blow(int requests) {
        assertThat(status()).isEqualTo(200);
        blow(requests / 10, 1);
        long heap = heapInUse();
        blow(requests, 2);
        Awaitility.await()
                .atMost(LONG)
                .untilAsserted(() -> assertThat(heapInUse()).isLessThan(heap + SLACK_BYTES));

        assertThat(limiter.statistics().acquired()).isEqualTo(1);
        assertThat(limiter.statistics().refused()).isZero();
        assertThat(time.pendingTasks()).isZero();
        time.advanceBy(ofHours(1));
        assertThat(limiter.availablePermits()).isEqualTo(1);
        assertThat(status()).as("whoever comes afterwards").isEqualTo(200);
    }

    private void blow(int requests, int seed) {
        List<Disposable> sent = new ArrayList<>();
        for (int request = 0; request < requests; request++) {
            sent.add(client.get().uri("/").response().subscribe(response -> {}, aborted -> {}));
        }
        awaitQueued(requests);
        Collections.shuffle(sent, new Random(seed));
        sent.forEach(Disposable::dispose);
        awaitQueued(0);
    }

    private void awaitQueued(int requests) {
        Awaitility.await()
                .atMost(LONG)
                .untilAsserted(
                        () -> assertThat(limiter.statistics().queuedPermits()).isEqualTo(requests));
    }

    private int status() {
        return client.get()
                .uri("/")
                .response()
                .map(response -> response.status().code())
                .block(LONG);
    }

    private static long heapInUse() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Override
    public void close() {
        connections.dispose();
        server.disposeNow();
    }
}
