package dev.weir.samples.fleet;

import dev.weir.samples.LoopbackServer;
import dev.weir.time.TimeSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.http.server.HttpServerResponse;

/** A website on the loopback interface that records when pages are requested, and where nodes wait for each other to start. */
final class FleetSite {

    private final TimeSource clock = TimeSource.system();
    private final Queue<Long> requests = new ConcurrentLinkedQueue<>();
    private final AtomicInteger missing;
    private final Sinks.Empty<Void> allThere = Sinks.empty();

    private FleetSite(int nodes) {
        missing = new AtomicInteger(nodes);
    }

    /** An open site, and its server to be closed. */
    record Open(FleetSite site, LoopbackServer server) {

        String url() {
            return server.url();
        }

        Mono<Void> close() {
            return server.close();
        }
    }

    static Mono<Open> open(int nodes) {
        FleetSite site = new FleetSite(nodes);
        return LoopbackServer.open(
                        "fleet",
                        1,
                        0,
                        http -> http.route(routes -> routes.get(
                                        "/robots.txt", (request, response) -> text(response, "Crawl-delay: 1"))
                                .get(
                                        "/begin",
                                        (request, response) -> site.meet().then(Mono.from(text(response, "begin"))))
                                .get("/page/{number}", (request, response) -> {
                                    site.requests.add(site.clock.nanoTime());
                                    return text(response, "page");
                                })))
                .map(server -> new Open(site, server));
    }

    private static Mono<Void> text(HttpServerResponse response, String text) {
        return response.sendString(Mono.just(text)).then();
    }

    private Mono<Void> meet() {
        if (missing.decrementAndGet() == 0) {
            allThere.tryEmitEmpty();
        }
        return allThere.asMono();
    }

    /** Returns when pages were requested. */
    LongStream requests() {
        return requests.stream().mapToLong(Long::longValue);
    }
}
