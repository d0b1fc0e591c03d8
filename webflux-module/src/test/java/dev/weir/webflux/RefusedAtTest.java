package dev.weir.webflux;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.http.HttpStatus.OK;
import static org.springframework.http.HttpStatus.SERVICE_UNAVAILABLE;
import static org.springframework.http.HttpStatus.TOO_MANY_REQUESTS;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import reactor.core.publisher.Mono;

/** Which of the limits of a filter refused, where names do not tell. */
class RefusedAtTest {

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter room = named("room", Limit.concurrency(1));
    private final RateLimiter store = named("store", Limit.of(9, ofSeconds(1)));

    @Test
    @DisplayName("a chain that protects the server answers 503, alone and beside others, and is named as in the fields")
    void protectingChain() {
        RateLimiter chain = RateLimiter.chain(room, store);
        RateLimitWebFilter.Builder alone = RateLimitWebFilter.builder().protect(chain);
        RateLimitWebFilter.Builder besides = RateLimitWebFilter.builder()
                .limit(named("api", Limit.of(9, ofSeconds(1))))
                .protect(chain);
        room.tryAcquire();
        for (RateLimitWebFilter.Builder each : new RateLimitWebFilter.Builder[] {alone, besides}) {
            MockServerHttpResponse refused =
                    Requests.send(each.headers(HeaderStyle.DRAFT_11).build(), Requests.get("/"));

            assertThat(refused.getStatusCode()).isEqualTo(SERVICE_UNAVAILABLE);
            assertThat(refused.getHeaders().getValuesAsList("RateLimit").toString())
                    .contains("chain(room, store);r=0;t=1");
            assertThat(Requests.body(refused)).contains("\"violated-policies\":[\"chain(room, store)\"]");
        }
    }

    @Test
    @DisplayName("of two limits of one name, the one that refused decides about the status")
    void equalNames() {
        RateLimiter quota = unnamed();
        RateLimiter guard = unnamed();
        RateLimitWebFilter filter =
                RateLimitWebFilter.builder().limit(quota).protect(guard).build();

        quota.tryAcquire();
        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(TOO_MANY_REQUESTS);
        time.advanceBy(ofMinutes(1));
        guard.tryAcquire();
        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(SERVICE_UNAVAILABLE);
        time.advanceBy(ofMinutes(1));
        assertThat(Requests.status(filter, Requests.get("/"))).isEqualTo(OK);
    }

    @Test
    @DisplayName("a client over its quota is told when that has more, also while the room is full")
    void overQuotaWhileTheRoomIsFull() {
        RateLimiter quota = named("api", Limit.of(1, ofHours(1)));
        quota.tryAcquire();
        room.tryAcquire();
        RateLimitWebFilter.Builder enforcing =
                RateLimitWebFilter.builder().limit(quota).protect(room);
        RateLimitWebFilter.Builder waiting =
                RateLimitWebFilter.builder().limit(quota).protect(room).waiting(ofSeconds(1));
        for (RateLimitWebFilter.Builder each : List.of(enforcing, waiting)) {
            MockServerHttpResponse refused =
                    Requests.send(each.headers(HeaderStyle.DRAFT_11).build(), Requests.get("/"));

            assertThat(refused.getStatusCode()).isEqualTo(TOO_MANY_REQUESTS);
            assertThat(refused.getHeaders().getFirst("Retry-After")).isEqualTo("3600");
            assertThat(refused.getHeaders().getValuesAsList("RateLimit").toString())
                    .contains("api;r=0;t=3600");
        }
    }

    @Test
    @DisplayName("a request whose bound is over is refused by the limit that it waited for")
    void waitedFor() {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(store)
                .protect(room)
                .waiting(ofSeconds(1))
                .build();
        room.tryAcquire();
        var waiting = Requests.get("/");
        var sent = filter.filter(waiting, Requests.OK).toFuture();

        time.advanceBy(ofSeconds(1));
        sent.join();

        assertThat(waiting.getResponse().getStatusCode()).isEqualTo(SERVICE_UNAVAILABLE);
        assertThat(Requests.body(waiting.getResponse())).contains("\"violated-policies\":[\"room\"]");
    }

    @Test
    @DisplayName("a request whose keys share a limit with room for one of them is refused by that limit")
    void waitedForOneMore() {
        PartitionedRateLimiter<String> clients = PartitionedRateLimiter.<String>builder(
                        key -> Limit.of(1, ofSeconds(1)))
                .name("client")
                .timeSource(time)
                .maximumKeys(1)
                .overflowTo(Limit.of(2, ofSeconds(1)))
                .build();
        clients.tryAcquire("known", 1);
        clients.tryAcquire("another", 1);
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(exchange -> Mono.just("address"), clients)
                .limit(exchange -> Mono.just("user"), clients)
                .waiting(ofMillis(100))
                .headers(HeaderStyle.DRAFT_11)
                .build();
        var waiting = Requests.get("/");
        var sent = filter.filter(waiting, Requests.OK).toFuture();

        time.advanceBy(ofMillis(100));
        sent.join();

        assertThat(waiting.getResponse().getStatusCode()).isEqualTo(TOO_MANY_REQUESTS);
        assertThat(Requests.body(waiting.getResponse())).contains("\"violated-policies\":[\"client\"]");
        assertThat(waiting.getResponse()
                        .getHeaders()
                        .getValuesAsList("RateLimit")
                        .toString())
                .contains("client;r=0;t=1");
    }

    @Test
    @DisplayName("a request that costs more than what protects the server has become is told of no retry")
    void tooMuchForWhatProtects() {
        RateLimiter pool = named("pool", Limit.concurrency(5));
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .protect(pool)
                .cost(exchange -> 5)
                .waiting()
                .build();
        pool.tryAcquire();
        var waiting = Requests.get("/");
        var sent = filter.filter(waiting, Requests.OK).toFuture();
        assertThat(sent).isNotDone();

        pool.reconfigure(Limit.concurrency(3));
        sent.join();
        var then = Requests.send(filter, Requests.get("/"));

        for (MockServerHttpResponse refused : List.of(waiting.getResponse(), then)) {
            assertThat(refused.getStatusCode()).isEqualTo(TOO_MANY_REQUESTS);
            assertThat(refused.getHeaders().getFirst("Retry-After")).isNull();
            assertThat(Requests.body(refused)).contains("\"violated-policies\":[\"pool\"]");
        }
    }

    private RateLimiter named(String name, Limit limit) {
        return RateLimiter.builder(limit).name(name).timeSource(time).build();
    }

    private RateLimiter unnamed() {
        return RateLimiter.builder(Limit.of(1, ofMinutes(1))).timeSource(time).build();
    }
}
