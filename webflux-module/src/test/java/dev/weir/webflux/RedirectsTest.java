package dev.weir.webflux;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;

/** Requests that a client sends by itself, because an answer tells it to. */
class RedirectsTest {

    private final List<String> arrived = new CopyOnWriteArrayList<>();
    private final RateLimiter limiter = RateLimiter.of(10, ofHours(1));
    private final DisposableServer server = HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .handle((request, response) -> {
                arrived.add(request.uri());
                return request.uri().equals("/old") ? response.sendRedirect("/new") : response.send();
            })
            .bindNow();

    @AfterEach
    void endServer() {
        server.disposeNow();
    }

    @Test
    @DisplayName("one that the HTTP client follows passes no filter, and so takes no permit")
    void followedBelow() {
        get(true);
        assertThat(arrived).containsExactly("/old", "/new");
        assertThat(limiter.statistics().acquired()).isEqualTo(1);
    }

    @Test
    @DisplayName("unless told otherwise the client follows none")
    void notFollowed() {
        get(false);
        assertThat(arrived).containsExactly("/old");
        assertThat(limiter.statistics().acquired()).isEqualTo(1);
    }

    private void get(boolean follow) {
        HttpClient http = HttpClient.create();
        WebClient.builder()
                .clientConnector(new ReactorClientHttpConnector(follow ? http.followRedirect(true) : http))
                .baseUrl("http://127.0.0.1:" + server.port())
                .filter(RateLimitExchangeFilter.with(limiter))
                .build()
                .get()
                .uri("/old")
                .retrieve()
                .toBodilessEntity()
                .block(ofSeconds(10));
    }
}
