package dev.weir.samples.crawler;

import dev.weir.reactor.RateLimit;
import java.net.URI;
import java.time.Duration;
import reactor.core.publisher.Flux;

/** The crawl on Reactor. */
final class ReactorCrawl {

    private ReactorCrawl() {}

    static Flux<Page> pages(Crawl crawl) {
        return limited(crawl.frontier().urls(), crawl)
                .doOnNext(crawl.log()::add)
                .take(crawl.pages())
                .flatMap(crawl.fetch(), Fetcher.CONNECTIONS)
                .doOnNext(crawl.frontier()::finished);
    }

    private static Flux<URI> limited(Flux<URI> urls, Crawl crawl) {
        int rate = crawl.limit().permits();
        Duration per = crawl.limit().period();
        return crawl.newestFirst()
                ? urls.transform(RateLimit.of(crawl.limit(), crawl.newestFirstOptions()))
                : urls.transform(RateLimit.of(rate, per));
    }
}
