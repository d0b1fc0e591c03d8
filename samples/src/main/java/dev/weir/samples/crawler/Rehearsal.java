package dev.weir.samples.crawler;

import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A warm-up of two crawls that are not reported. Times are shown to the microsecond, and code that the JVM runs for the first
 * time takes milliseconds; after the warm-up, the first requests are as punctual as later ones.
 */
final class Rehearsal {

    private static final SlidingWindowLog LIMIT = Limit.of(20, Duration.ofMillis(20));
    private static final SlidingWindowLog FAST = Limit.of(100, Duration.ofMillis(2));
    private static final int PAGES = 100;
    private static final int FAST_PAGES = 10_000;

    private final Function<Crawl, Flux<Page>> library;
    private final boolean newestFirst;

    Rehearsal(Function<Crawl, Flux<Page>> library, boolean newestFirst) {
        this.library = library;
        this.newestFirst = newestFirst;
    }

    /** Crawls another site over HTTP. */
    Mono<Void> overHttp(Fetcher fetcher) {
        return Mono.usingWhen(Site.open(LIMIT), site -> crawl(site.home(), LIMIT, PAGES, fetcher::fetch), Site::close);
    }

    /** Crawls many pages in memory, without a site. */
    Mono<Void> inMemory() {
        return crawl(URI.create("memory:0"), FAST, FAST_PAGES, url -> Mono.just(imagined(url)));
    }

    private Mono<Void> crawl(URI start, SlidingWindowLog limit, int pages, Function<URI, Mono<Page>> fetch) {
        Frontier frontier = new Frontier(start, url -> true, pages);
        return library.apply(new Crawl(frontier, limit, pages, newestFirst, new RequestLog(), fetch))
                .then();
    }

    /** Returns a page with links to three others. */
    private static Page imagined(URI url) {
        int number = Integer.parseInt(url.getSchemeSpecificPart());
        List<URI> links = IntStream.rangeClosed(1, 3)
                .mapToObj(branch -> URI.create("memory:" + (3 * number + branch)))
                .toList();
        return new Page(url, "200", links);
    }
}
