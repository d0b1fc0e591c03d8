package dev.weir.samples;

import java.time.Duration;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.LoopResources;

/** An HTTP server on the loopback interface, with event loops that keep the JVM alive while it is open. */
public final class LoopbackServer {

    private static final Duration AT_MOST = Duration.ofSeconds(1);

    private final LoopResources loops;
    private final DisposableServer server;

    private LoopbackServer(LoopResources loops, DisposableServer server) {
        this.loops = loops;
        this.server = server;
    }

    /**
     * Opens a server without blocking. If that fails, the event loops end before the error is emitted.
     *
     * @param name the name of the server, with which the names of its threads begin
     * @param threads the number of event loops
     * @param port the port to listen on; 0 for any free port
     * @param answers adds what answers requests
     * @return the open server, to be closed; or an error, which is a {@link reactor.netty.ChannelBindException} if the port is taken
     */
    public static Mono<LoopbackServer> open(String name, int threads, int port, UnaryOperator<HttpServer> answers) {
        return Mono.defer(() -> {
            LoopResources loops = LoopResources.create(name, threads, false);
            HttpServer server = HttpServer.create().host("127.0.0.1").port(port).runOn(loops);
            return answers.apply(server)
                    .bind()
                    .map(open -> new LoopbackServer(loops, open))
                    .onErrorResume(error -> end(loops).then(Mono.error(error)));
        });
    }

    /**
     * Returns the address.
     *
     * @return the URL, without a slash at its end
     */
    public String url() {
        return "http://127.0.0.1:" + server.port();
    }

    /**
     * Closes the server and all its connections without blocking.
     *
     * @return completes when the event loops have ended
     */
    public Mono<Void> close() {
        return Mono.defer(() -> {
            server.dispose();
            return server.onDispose().then(end(loops));
        });
    }

    private static Mono<Void> end(LoopResources loops) {
        return loops.disposeLater(Duration.ZERO, AT_MOST);
    }
}
