package dev.weir.samples.crawler;

import dev.weir.rxjava.RateLimit;
import io.reactivex.rxjava3.core.Flowable;
import java.net.URI;
import java.time.Duration;

/** The crawl on RxJava. */
final class RxJavaCrawl {

    private RxJavaCrawl() {}

    static Flowable<Page> pages(Crawl crawl) {
        return limited(Flowable.fromPublisher(crawl.frontier().urls()), crawl)
                .doOnNext(crawl.log()::add)
                .take(crawl.pages())
                .flatMap(crawl.fetch()::apply, Fetcher.CONNECTIONS)
                .doOnNext(crawl.frontier()::finished);
    }

    private static Flowable<URI> limited(Flowable<URI> urls, Crawl crawl) {
        int rate = crawl.limit().permits();
        Duration per = crawl.limit().period();
        return crawl.newestFirst()
                ? urls.compose(RateLimit.of(crawl.limit(), crawl.newestFirstOptions()))
                : urls.compose(RateLimit.of(rate, per));
    }
}
