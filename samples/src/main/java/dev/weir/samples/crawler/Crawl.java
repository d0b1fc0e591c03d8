package dev.weir.samples.crawler;

import dev.weir.QueueOrder;
import dev.weir.limit.SlidingWindowLog;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import java.net.URI;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * The parts of a crawl, independent of the reactive library: URLs from the frontier become pages at a limited rate, and the
 * links of the pages become URLs.
 *
 * @param frontier the source of URLs and the target of links
 * @param limit how often a page may be requested
 * @param pages how many pages are requested in total
 * @param newestFirst whether the link found last goes next
 * @param log notified of each URL when the limiter grants it
 * @param fetch fetches the page of a URL
 */
record Crawl(
        Frontier frontier,
        SlidingWindowLog limit,
        int pages,
        boolean newestFirst,
        RequestLog log,
        Function<URI, Mono<Page>> fetch) {

    /** Makes the limiter buffer all waiting links and choose among them, instead of requesting one at a time. */
    StreamOptions newestFirstOptions() {
        return StreamOptions.defaults()
                .buffer(pages)
                .order(QueueOrder.NEWEST_FIRST)
                .whenFull(WhenFull.EVICT_OLDEST)
                .onDropped(url -> frontier.dropped());
    }
}
