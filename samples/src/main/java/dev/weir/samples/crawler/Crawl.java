package dev.weir.samples.crawler;

import dev.weir.QueueOrder;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import java.net.URI;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * What a crawl consists of, whichever library drives it: URLs from the frontier become pages at a limited rate, and the
 * links of the pages become URLs.
 *
 * @param frontier where URLs come from and links go to
 * @param limit how often a page may be asked for
 * @param pages how many are asked for in all
 * @param newestFirst whether the link found last goes next
 * @param log hears of each URL when the limiter lets it go
 * @param fetch makes a page of a URL
 */
record Crawl(
        Frontier frontier,
        SlidingWindowLog limit,
        int pages,
        boolean newestFirst,
        RequestLog log,
        Function<URI, Mono<Page>> fetch) {

    /** Makes the limiter hold all links that wait and choose among them, where it would else ask for one at a time. */
    StreamOptions newestFirstOptions() {
        return StreamOptions.defaults()
                .buffer(pages)
                .order(QueueOrder.NEWEST_FIRST)
                .whenFull(WhenFull.EVICT_OLDEST)
                .onDropped(url -> frontier.dropped());
    }
}
