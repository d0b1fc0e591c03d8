package dev.weir.webflux;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebHandler;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;

/** Under BlockHound, as all tests here: an event loop that blocks answers 500. */
class NothingBlocksTest {

    private static final int CONNECTIONS = 50;
    private static final int REQUESTS = 2_000;
    private static final int PASSING = 1_000;

    @Test
    @DisplayName("blocking is seen")
    void blockingIsSeen() {
        Mono<Boolean> blocking = Mono.fromCallable(() -> new CountDownLatch(1).await(10, TimeUnit.SECONDS))
                .subscribeOn(Schedulers.parallel());
        assertThatThrownBy(blocking::block).hasRootCauseInstanceOf(BlockingOperationError.class);
    }

    @Test
    @DisplayName("thousands of requests are refused, wait and pass by several limits, and no event loop blocks")
    void crowd() {
        RateLimitWebFilter refusing = RateLimitWebFilter.builder()
                .limit(ClientAddress.trusting("127.0.0.1"), PartitionedRateLimiter.of(Limit.of(PASSING, ofHours(1))))
                .protect(RateLimiter.builder(Limit.concurrency(40)).name("room").build())
                .headers(HeaderStyle.DRAFT_11)
                .build();
        RateLimitWebFilter waiting = RateLimitWebFilter.builder()
                .limit(RateLimiter.of(Limit.leakyBucket(5_000, ofSeconds(1)).withSlack(10)))
                .limit(RateLimiter.builder(Limit.concurrency(20)).name("line").build())
                .waiting()
                .build();
        Sinks.Empty<Void> firstWithoutRoom = Sinks.empty();
        LongAdder withoutRoom = new LongAdder();
        LongAdder afterAWait = new LongAdder();
        DisposableServer server = serve(
                exchange -> {
                    if (Thread.currentThread().getName().startsWith("parallel-")) {
                        afterAWait.increment();
                    }
                    return firstWithoutRoom.asMono().then(exchange.getResponse().setComplete());
                },
                refusing,
                waiting);
        // Reactor Netty 1.2.18 may stop to read from a connection that is kept, after a request that waited
        // (reactor-netty#4361).
        HttpClient client = HttpClient.newConnection().host("127.0.0.1").port(server.port());
        Mono<Integer> request = client.get()
                .uri("/")
                .response()
                .map(response -> response.status().code());
        Mono<Integer> untilThereIsRoom = request.doOnNext(status -> {
                    if (status == 503) {
                        withoutRoom.increment();
                        firstWithoutRoom.tryEmitEmpty();
                    }
                })
                .filter(status -> status != 503)
                .repeatWhenEmpty(answers -> answers);
        try {
            Map<Integer, Long> statuses = Flux.range(0, REQUESTS)
                    .flatMap(number -> untilThereIsRoom, CONNECTIONS)
                    .collect(Collectors.groupingBy(status -> status, Collectors.counting()))
                    .block(ofSeconds(60));

            assertThat(statuses).isEqualTo(Map.of(200, (long) PASSING, 429, (long) REQUESTS - PASSING));
            assertThat(withoutRoom.sum()).as("answered 503").isPositive();
            assertThat(afterAWait.sum()).as("handled after a wait").isPositive();
        } finally {
            server.disposeNow();
        }
    }

    private static DisposableServer serve(WebHandler handler, WebFilter... filters) {
        return HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle(new ReactorHttpHandlerAdapter(WebHttpHandlerBuilder.webHandler(handler)
                        .filter(filters)
                        .codecConfigurer(ServerCodecConfigurer.create())
                        .build()))
                .bindNow();
    }
}
