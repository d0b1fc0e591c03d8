package dev.weir.samples.gateway;

import dev.weir.samples.LoopbackServer;
import java.util.List;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.function.server.RouterFunctions;
import reactor.core.publisher.Mono;
import reactor.netty.resources.LoopResources;

/** The application while it is open. */
final class GatewayServer {

    private final Endpoints endpoints;
    private final LoopbackServer server;

    private GatewayServer(Endpoints endpoints, LoopbackServer server) {
        this.endpoints = endpoints;
        this.server = server;
    }

    static Mono<GatewayServer> open(int port, int permitsPerSecond) {
        return Mono.defer(() -> {
            Endpoints endpoints = new Endpoints();
            ReactorHttpHandlerAdapter handler =
                    new ReactorHttpHandlerAdapter(RouterFunctions.toHttpHandler(endpoints.routes(permitsPerSecond)));
            return LoopbackServer.open(
                            "gateway", LoopResources.DEFAULT_IO_WORKER_COUNT, port, http -> http.handle(handler))
                    .map(server -> new GatewayServer(endpoints, server));
        });
    }

    String url() {
        return server.url();
    }

    /** Returns when each request to {@code /refuse} was granted, by the clock of its limiter. */
    List<Long> grants() {
        return endpoints.grants();
    }

    Mono<Void> close() {
        return server.close();
    }
}
