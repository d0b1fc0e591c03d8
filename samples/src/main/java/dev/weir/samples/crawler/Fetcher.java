package dev.weir.samples.crawler;

import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_TYPE;
import static io.netty.handler.codec.http.HttpHeaderNames.LOCATION;
import static io.netty.handler.codec.http.HttpHeaderNames.USER_AGENT;

import io.netty.handler.timeout.ReadTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.ByteBufMono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;

/** Fetches pages over HTTP, with pooled connections and one event loop. */
final class Fetcher implements AutoCloseable {

    /** The largest number of concurrent requests. */
    static final int CONNECTIONS = 16;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    // Not a daemon: it keeps the JVM alive while a crawl runs.
    private final LoopResources loop = LoopResources.create("crawler", 1, false);
    private final ConnectionProvider connections = ConnectionProvider.create("crawler", CONNECTIONS);
    private final HttpClient client = HttpClient.create(connections)
            .runOn(loop)
            .responseTimeout(PATIENCE)
            .headers(headers -> headers.set(USER_AGENT, "weir-sample-crawler"));

    // Making a request takes a while, which must not delay the calling thread, least of all that of a limiter.
    private final Scheduler onLoop = Schedulers.fromExecutor(loop.onClient(LoopResources.DEFAULT_NATIVE));

    /** Fetches a page and never fails: a failed request yields a page without links. */
    Mono<Page> fetch(URI url) {
        return client.get()
                .uri(url)
                .responseSingle((head, body) -> text(head, body, "text/html")
                        .map(html -> Page.read(url, head.status().code(), header(head, LOCATION), html)))
                .onErrorResume(error -> Mono.just(Page.failed(url, reason(error))))
                .subscribeOn(onLoop);
    }

    /** Fetches the robots.txt of a site; an error if the site cannot be reached at all. */
    Mono<Robots> robots(URI site) {
        return client.get()
                .uri(site.resolve("/robots.txt"))
                .responseSingle((head, body) -> text(head, body, "text/plain"))
                .map(Robots::parse)
                .onErrorMap(error -> new UncrawlableException(site, reason(error)));
    }

    /** Opens connections in advance, by requesting robots.txt many times at once; only for the built-in site. */
    Mono<Void> connect(URI site) {
        return Flux.range(0, CONNECTIONS)
                .flatMap(again -> fetch(site.resolve("/robots.txt")))
                .then();
    }

    @Override
    public void close() {
        connections.dispose();
        loop.dispose();
    }

    /** Returns the body if it has this type; otherwise empty, without reading the body. */
    private static Mono<String> text(HttpClientResponse head, ByteBufMono body, String type) {
        boolean readable = header(head, CONTENT_TYPE).startsWith(type);
        return readable ? body.asString().defaultIfEmpty("") : Mono.just("");
    }

    private static String header(HttpClientResponse head, CharSequence name) {
        return head.responseHeaders().get(name, "");
    }

    /** Returns one line that describes a network error. */
    private static String reason(Throwable error) {
        if (error instanceof UnknownHostException) {
            return "unknown host";
        }
        if (error instanceof ReadTimeoutException) {
            return "no answer within " + PATIENCE.toSeconds() + " s";
        }
        String message = String.valueOf(error.getMessage());
        return message.contains("Connection refused")
                ? "connection refused"
                : message.lines().findFirst().orElse("");
    }
}
