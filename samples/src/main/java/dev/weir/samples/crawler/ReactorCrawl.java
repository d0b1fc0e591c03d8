package dev.weir.samples.crawler;

import dev.weir.reactor.RateLimit;
import java.net.URI;
import reactor.core.publisher.Flux;

/** The crawl with Reactor. */
final class ReactorCrawl {

    private ReactorCrawl() {}

    static Flux<Page> pages(Crawl crawl) {
        GrantTimes limit = new GrantTimes(crawl.limit());
        return limited(crawl.frontier().urls(), limit, crawl)
                .doOnNext(url -> crawl.log().add(url, limit.latestNanos()))
                .take(crawl.pages())
                .flatMap(crawl.fetch(), Fetcher.CONNECTIONS)
                .doOnNext(crawl.frontier()::finished);
    }

    private static Flux<URI> limited(Flux<URI> urls, GrantTimes limit, Crawl crawl) {
        return crawl.newestFirst()
                ? urls.transform(RateLimit.of(limit, crawl.newestFirstOptions()))
                : urls.transform(RateLimit.of(limit));
    }
}
