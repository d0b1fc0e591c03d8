package dev.weir.webflux;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A {@code WebClient} that is kept busy against a {@link StrictServer} and heeds what that says. */
final class ClientAndServerRun implements AutoCloseable {

    private static final int IN_FLIGHT = 64;

    private final RateLimiter quota;
    private final RateLimiter pace = RateLimiter.of(Limit.leakyBucket(1_000, Duration.ofSeconds(1)));
    private final StrictServer server;
    private final WebClient client;
    private final AtomicInteger refused = new AtomicInteger();

    ClientAndServerRun(Limit limit, int sharePercent) {
        quota = RateLimiter.builder(limit).name("quota").build();
        server = new StrictServer(quota);
        client = WebClient.builder()
                .baseUrl(server.url())
                .filter(RateLimitExchangeFilter.builder(pace)
                        .share(sharePercent)
                        .atLeast(1)
                        .build())
                .build();
    }

    /** Sends one request, whose answer tells the policy. */
    void startUp() {
        send().block();
    }

    void run(Duration duration) {
        Flux.range(0, Integer.MAX_VALUE)
                .flatMap(number -> send(), IN_FLIGHT)
                .takeUntilOther(Mono.delay(duration))
                .blockLast();
    }

    private Mono<Void> send() {
        return client.get().exchangeToMono(response -> {
            if (response.statusCode().value() == 429) {
                refused.incrementAndGet();
            }
            return response.releaseBody();
        });
    }

    RateLimiter quota() {
        return quota;
    }

    RateLimiter pace() {
        return pace;
    }

    int served() {
        return server.served();
    }

    int refused() {
        return refused.get();
    }

    @Override
    public void close() {
        server.close();
    }
}
