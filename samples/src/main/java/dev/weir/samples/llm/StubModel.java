package dev.weir.samples.llm;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.samples.LoopbackServer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/**
 * A stub of a language model: it answers {@code POST /complete} with a number of tokens, or with 429 and
 * {@code Retry-After} if a client sends requests more often than it allows.
 */
final class StubModel {

    static final String TOKENS_USED = "x-tokens-used";

    private final LoopbackServer server;

    private StubModel(LoopbackServer server) {
        this.server = server;
    }

    static Mono<StubModel> open(Limit requests) {
        return Mono.defer(() -> {
            RateLimiter limiter = RateLimiter.of(requests);
            return LoopbackServer.open(
                            "model",
                            1,
                            0,
                            http -> http.route(routes -> routes.post(
                                    "/complete", (request, response) -> complete(limiter, request, response))))
                    .map(StubModel::new);
        });
    }

    String url() {
        return server.url() + "/complete";
    }

    Mono<Void> close() {
        return server.close();
    }

    private static Publisher<Void> complete(
            RateLimiter limiter, HttpServerRequest request, HttpServerResponse response) {
        Lease lease = limiter.tryAcquire();
        if (!lease.isAcquired()) {
            long seconds = lease.retryAfter()
                    .map(after -> after.plusNanos(999_999_999).toSeconds())
                    .orElse(1L);
            return response.status(429)
                    .header("retry-after", Long.toString(seconds))
                    .send();
        }
        return request.receive()
                .aggregate()
                .asString()
                .flatMap(prompt -> response.header(TOKENS_USED, Integer.toString(tokens(prompt)))
                        .send()
                        .then());
    }

    /** Returns the number of tokens used, derived from the hash of the prompt. */
    private static int tokens(String prompt) {
        return 20 + Math.floorMod(prompt.hashCode() * 31, 160);
    }
}
