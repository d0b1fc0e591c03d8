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

/** Asks for pages over HTTP, on pooled connections and one event loop. */
final class Fetcher implements AutoCloseable {

    /** How many pages are asked for at the same time, at most. */
    static final int CONNECTIONS = 16;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    // Not a daemon: it keeps the JVM alive while a crawl runs.
    private final LoopResources loop = LoopResources.create("crawler", 1, false);
    private final ConnectionProvider connections = ConnectionProvider.create("crawler", CONNECTIONS);
    private final HttpClient client = HttpClient.create(connections)
            .runOn(loop)
            .responseTimeout(PATIENCE)
            .headers(headers -> headers.set(USER_AGENT, "weir-sample-crawler"));

    // To make a request takes a while: whoever asks for a page is not to be held up, least of all a limiter.
    private final Scheduler onLoop = Schedulers.fromExecutor(loop.onClient(LoopResources.DEFAULT_NATIVE));

    /** A page, whatever happens: a request that fails is a page without links. */
    Mono<Page> fetch(URI url) {
        return client.get()
                .uri(url)
                .responseSingle((head, body) -> text(head, body, "text/html")
                        .map(html -> Page.read(url, head.status().code(), header(head, LOCATION), html)))
                .onErrorResume(error -> Mono.just(Page.failed(url, reason(error))))
                .subscribeOn(onLoop);
    }

    /** The wishes of a site; an error if it cannot be reached at all. */
    Mono<Robots> robots(URI site) {
        return client.get()
                .uri(site.resolve("/robots.txt"))
                .responseSingle((head, body) -> text(head, body, "text/plain"))
                .map(Robots::parse)
                .onErrorMap(error -> new UncrawlableException(site, reason(error)));
    }

    /** Opens connections ahead of need, by asking for robots.txt many times at once: for a site of our own. */
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

    /** The body where it is of this type; otherwise nothing, and the body is not read. */
    private static Mono<String> text(HttpClientResponse head, ByteBufMono body, String type) {
        boolean readable = header(head, CONTENT_TYPE).startsWith(type);
        return readable ? body.asString().defaultIfEmpty("") : Mono.just("");
    }

    private static String header(HttpClientResponse head, CharSequence name) {
        return head.responseHeaders().get(name, "");
    }

    /** One line about an error of the network. */
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
