package dev.weir.samples.llm;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import java.time.Duration;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufFlux;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;

/**
 * A language model behind a budget. A request first takes its estimated cost; when the answer arrives, the lease is settled
 * for the actual cost. A 429 pauses all requests for as long as the server says, and the request takes permits again.
 */
final class BudgetedModel {

    private final String url;
    private final HttpClient http;
    private final RateLimiter budget;
    private final Consumer<Exchange> log;

    BudgetedModel(String url, HttpClient http, RateLimiter budget, Consumer<Exchange> log) {
        this.url = url;
        this.http = http;
        this.budget = budget;
        this.log = log;
    }

    /** Returns the number of tokens that a prompt used. */
    Mono<Integer> ask(String prompt, int estimate) {
        return Mono.fromFuture(() -> budget.acquire(estimate))
                .flatMap(lease -> post(prompt).map(answer -> settle(prompt, lease, answer)))
                .filter(exchange -> !exchange.isRefused())
                .repeatWhenEmpty(refusals -> refusals)
                .map(Exchange::tokens);
    }

    private Mono<HttpClientResponse> post(String prompt) {
        return http.post()
                .uri(url)
                .send(ByteBufFlux.fromString(Mono.just(prompt)))
                .response();
    }

    private Exchange settle(String prompt, Lease lease, HttpClientResponse answer) {
        Exchange exchange =
                new Exchange(prompt, lease.permits(), answer.status().code(), tokens(answer));
        lease.settle(exchange.tokens());
        if (exchange.isRefused()) {
            budget.pauseFor(Duration.ofSeconds(answer.responseHeaders().getInt("retry-after", 1)));
        }
        log.accept(exchange);
        return exchange;
    }

    private static int tokens(HttpClientResponse answer) {
        return answer.responseHeaders().getInt(StubModel.TOKENS_USED, 0);
    }
}
