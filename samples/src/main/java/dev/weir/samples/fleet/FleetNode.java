package dev.weir.samples.fleet;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.reactor.RateLimit;
import dev.weir.redis.RedisOptions;
import dev.weir.redis.RedisRateLimiters;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** One JVM of the fleet: crawls pages through the limit that all share. */
final class FleetNode {

    static final SlidingWindowLog LIMIT = Limit.of(20, Duration.ofSeconds(1));

    private static final RedisOptions OPTIONS =
            RedisOptions.defaults().expectedNodes(4).deadline(Duration.ofSeconds(1));

    /** Opened before the crawl counts: what is slow at first would come in a burst later. */
    private static final int CONNECTIONS = 4;

    private FleetNode() {}

    static Mono<Integer> run(String name, String redis, String site, int pages) {
        // Connecting blocks, as Lettuce does; nothing else here.
        return Mono.using(() -> RedisClient.create(redis), client -> crawl(client, name, site, pages), client -> {
                    var unused = client.shutdownAsync();
                })
                .thenReturn(0)
                .onErrorReturn(1);
    }

    private static Mono<Void> crawl(RedisClient client, String name, String site, int pages) {
        return Mono.using(
                () -> RedisRateLimiters.connect(client, OPTIONS),
                fleet -> crawl(fleet.limiter("site", LIMIT), name, site, pages),
                RedisRateLimiters::close);
    }

    private static Mono<Void> crawl(RateLimiter limiter, String name, String site, int pages) {
        HttpClient http = HttpClient.create().headers(headers -> headers.set("User-Agent", name));
        Mono<Void> opened = Flux.range(1, CONNECTIONS)
                .flatMap(number -> http.get().uri(site + "/robots.txt").response())
                .then();
        return opened.thenMany(Flux.range(1, pages)
                        .transform(RateLimit.with(limiter))
                        .flatMap(page -> http.get().uri(site + "/page/" + page).response()))
                .then();
    }
}
