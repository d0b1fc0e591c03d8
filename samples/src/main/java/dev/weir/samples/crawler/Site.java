package dev.weir.samples.crawler;

import dev.weir.limit.SlidingWindowLog;
import dev.weir.samples.LoopbackServer;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.URI;
import java.util.Map;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** A website on the loopback interface that logs the requested pages. */
final class Site {

    private final RequestLog log;
    private final LoopbackServer server;

    private Site(RequestLog log, LoopbackServer server) {
        this.log = log;
        this.server = server;
    }

    /** Opens a site on any free port, whose robots.txt requires the average delay of a limit. */
    static Mono<Site> open(SlidingWindowLog limit) {
        return Mono.defer(() -> {
            RequestLog log = new RequestLog();
            Answers answers = new Answers(SitePages.write(), robots(limit), log);
            return LoopbackServer.open("site", 1, 0, http -> http.handle(answers::answer))
                    .map(server -> new Site(log, server));
        });
    }

    URI home() {
        return URI.create(server.url() + "/");
    }

    /** Returns the log of all page requests, with their arrival times. */
    RequestLog log() {
        return log;
    }

    Mono<Void> close() {
        return server.close();
    }

    private static String robots(SlidingWindowLog limit) {
        BigDecimal delay = BigDecimal.valueOf(limit.period().toNanos(), 9)
                .divide(BigDecimal.valueOf(limit.permits()), 3, RoundingMode.FLOOR);
        return "User-agent: *\nCrawl-delay: " + delay.toPlainString() + "\n";
    }

    /** Serves robots.txt and the pages, and answers 404 otherwise. */
    private record Answers(Map<String, String> pages, String robots, RequestLog log) {

        Publisher<Void> answer(HttpServerRequest request, HttpServerResponse response) {
            String path = request.uri();
            if (path.equals("/robots.txt")) {
                return send(response, "text/plain", robots);
            }
            log.add(path);
            String page = pages.get(path);
            return page == null ? response.sendNotFound() : send(response, "text/html; charset=utf-8", page);
        }

        private static Publisher<Void> send(HttpServerResponse response, String type, String text) {
            return response.header(HttpHeaderNames.CONTENT_TYPE, type).sendString(Mono.just(text));
        }
    }
}
