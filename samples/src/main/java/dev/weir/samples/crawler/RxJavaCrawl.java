package dev.weir.samples.crawler;

import dev.weir.rxjava.RateLimit;
import io.reactivex.rxjava3.core.Flowable;
import java.net.URI;

/** The crawl with RxJava. */
final class RxJavaCrawl {

    private RxJavaCrawl() {}

    static Flowable<Page> pages(Crawl crawl) {
        GrantTimes limit = new GrantTimes(crawl.limit());
        return limited(Flowable.fromPublisher(crawl.frontier().urls()), limit, crawl)
                .doOnNext(url -> crawl.log().add(url, limit.latestNanos()))
                .take(crawl.pages())
                .flatMap(crawl.fetch()::apply, Fetcher.CONNECTIONS)
                .doOnNext(crawl.frontier()::finished);
    }

    private static Flowable<URI> limited(Flowable<URI> urls, GrantTimes limit, Crawl crawl) {
        return crawl.newestFirst()
                ? urls.compose(RateLimit.of(limit, crawl.newestFirstOptions()))
                : urls.compose(RateLimit.of(limit));
    }
}
