package dev.weir.samples.fleet;

import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.reactor.RateLimit;
import dev.weir.redis.RedisOptions;
import dev.weir.redis.RedisRateLimiters;
import dev.weir.samples.Failure;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** One JVM of the fleet: crawls pages under the shared limit. */
final class FleetNode {

    static final String NAME = "site";
    static final SlidingWindowLog LIMIT = Limit.of(20, Duration.ofSeconds(1));

    private static final RedisOptions OPTIONS =
            RedisOptions.defaults().expectedNodes(4).deadline(Duration.ofSeconds(1));

    private final RedisRateLimiters fleet;
    private final HttpClient http;
    private final String site;
    private final AtomicInteger remote = new AtomicInteger();
    private final AtomicInteger alone = new AtomicInteger();

    private FleetNode(RedisRateLimiters fleet, String name, String site) {
        this.fleet = fleet;
        this.http = HttpClient.create().headers(headers -> headers.set("User-Agent", name));
        this.site = site;
    }

    /** Crawls and prints the line of {@link Decisions}; the exit code is 1 for an error, which is printed. */
    static Mono<Integer> run(String name, String redis, String site, int pages, PrintStream out, PrintStream err) {
        // Connecting blocks, as Lettuce does; nothing else here.
        return Mono.using(() -> client(RedisURI.create(redis)), client -> crawl(client, name, site, pages), client -> {
                    var unused = client.shutdownAsync();
                })
                .doOnNext(decisions -> out.println(decisions.line()))
                .thenReturn(0)
                .onErrorResume(error -> Mono.just(Failure.print(error, err)));
    }

    /** Creates a client that quickly fails commands that cannot be sent or are not answered. */
    static RedisClient client(RedisURI store) {
        RedisClient client = RedisClient.create(impatient(store));
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .build());
        return client;
    }

    /** Returns the address with a timeout of seconds, which also holds for the first answer on a connection. */
    static RedisURI impatient(RedisURI store) {
        return RedisURI.builder(store).withTimeout(Duration.ofSeconds(5)).build();
    }

    private static Mono<Decisions> crawl(RedisClient client, String name, String site, int pages) {
        return Mono.using(
                () -> RedisRateLimiters.connect(client, OPTIONS),
                fleet -> new FleetNode(fleet, name, site).crawl(name, pages),
                RedisRateLimiters::close);
    }

    private Mono<Decisions> crawl(String name, int pages) {
        RateLimiter limiter =
                fleet.builder(NAME, LIMIT).observer(new WhoDecided()).build();
        return rehearsal(name)
                .then(get("/begin"))
                .thenMany(
                        Flux.range(1, pages).transform(RateLimit.with(limiter)).flatMap(page -> get("/page/" + page)))
                .then(Mono.fromSupplier(() -> new Decisions(remote.get(), alone.get())));
    }

    /**
     * Warms up with a separate limit for this node and another page. Code that runs for the first time, in four JVMs at once, is
     * late by tenths of a second: requests would arrive long after their grant, and answers of the store too late to count.
     */
    private Mono<Void> rehearsal(String name) {
        return Flux.range(1, 2 * LIMIT.permits())
                .transform(RateLimit.with(fleet.limiter(name, LIMIT)))
                .flatMap(again -> get("/robots.txt"))
                .then();
    }

    private Mono<Void> get(String path) {
        return http.get().uri(site + path).response().then();
    }

    private final class WhoDecided implements RateLimiterObserver {

        @Override
        public void onAcquired(int permits, long waitedNanos, DecisionSource source) {
            (source == DecisionSource.REMOTE ? remote : alone).incrementAndGet();
        }
    }
}
