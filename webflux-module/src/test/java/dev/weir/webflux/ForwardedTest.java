package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartitionedRateLimiter;
import dev.weir.limit.Limit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.server.adapter.ForwardedHeaderTransformer;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;

/** Where Spring believes whatever a client says about its address, the limits do not. */
class ForwardedTest {

    @Test
    @DisplayName("Spring's ForwardedHeaderTransformer hides neither the peer nor the field of a trusted proxy")
    void transformer() {
        assertThat(statusOfTwo(ClientAddress.ofPeer(), "1.1.1.1", "2.2.2.2")).containsExactly(200, 429);
        ClientAddress behindLoopback = ClientAddress.trusting("127.0.0.0/8");
        assertThat(statusOfTwo(behindLoopback, "6.6.6.6, 1.1.1.1", "6.6.6.6, 2.2.2.2"))
                .containsExactly(200, 200);
        assertThat(statusOfTwo(behindLoopback, "6.6.6.6, 1.1.1.1", "7.7.7.7, 1.1.1.1"))
                .containsExactly(200, 429);
    }

    private static int[] statusOfTwo(ClientAddress address, String first, String second) {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(address, PartitionedRateLimiter.of(Limit.of(1, ofMinutes(10))))
                .build();
        DisposableServer server = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle(new ReactorHttpHandlerAdapter(WebHttpHandlerBuilder.webHandler(
                                exchange -> exchange.getResponse().setComplete())
                        .filter(filter)
                        .forwardedHeaderTransformer(new ForwardedHeaderTransformer())
                        .codecConfigurer(ServerCodecConfigurer.create())
                        .build()))
                .bindNow();
        try {
            return new int[] {status(server, first), status(server, second)};
        } finally {
            server.disposeNow();
        }
    }

    private static int status(DisposableServer server, String forwardedFor) {
        return HttpClient.newConnection()
                .host("127.0.0.1")
                .port(server.port())
                .headers(headers -> headers.set("X-Forwarded-For", forwardedFor))
                .get()
                .uri("/")
                .response()
                .block()
                .status()
                .code();
    }
}
