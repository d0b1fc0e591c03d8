package dev.weir.samples.llm;

import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufFlux;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;

/** A language model behind a URL. */
final class HttpModel {

    private final String url;
    private final HttpClient http;

    HttpModel(String url, HttpClient http) {
        this.url = url;
        this.http = http;
    }

    Mono<Answer> complete(String prompt) {
        return http.post()
                .uri(url)
                .send(ByteBufFlux.fromString(Mono.just(prompt)))
                .response()
                .map(HttpModel::answer);
    }

    private static Answer answer(HttpClientResponse response) {
        return new Answer(
                response.status().code(),
                response.responseHeaders().getInt(StubModel.TOKENS_USED, 0),
                Duration.ofSeconds(response.responseHeaders().getInt("retry-after", 1)));
    }
}
