package dev.weir.webflux;

import dev.weir.RateLimiter;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** A server on the loopback that keeps its own limit to the letter, says so by headers, and answers 429 otherwise. */
final class StrictServer implements AutoCloseable {

    private final AtomicInteger served = new AtomicInteger();
    private final DisposableServer server;

    StrictServer(RateLimiter limiter) {
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(limiter)
                .headers(HeaderStyle.DRAFT_11)
                .build();
        server = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle(new ReactorHttpHandlerAdapter(WebHttpHandlerBuilder.webHandler(exchange -> {
                            served.incrementAndGet();
                            return exchange.getResponse().setComplete();
                        })
                        .filter(filter)
                        .codecConfigurer(ServerCodecConfigurer.create())
                        .build()))
                .bindNow();
    }

    String url() {
        return "http://127.0.0.1:" + server.port() + "/";
    }

    int served() {
        return served.get();
    }

    @Override
    public void close() {
        server.disposeNow();
    }
}
