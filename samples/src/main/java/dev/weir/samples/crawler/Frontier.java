package dev.weir.samples.crawler;

import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.util.concurrent.Queues;

/**
 * The pages that are known and not yet asked for: a stream that its own results feed.
 *
 * <p>A URL goes out when there is demand for it, and at most once. The stream completes when every URL that went in is
 * finished and has led to no other. The room is bounded by the pages that the crawl is to see: what finds no room lies
 * behind more URLs than will ever be asked for.
 */
final class Frontier {

    private final Predicate<URI> wanted;
    private final Set<URI> known = ConcurrentHashMap.newKeySet();
    private final AtomicInteger unfinished = new AtomicInteger(1); // until the first URL is in
    private final Sinks.Many<URI> sink;

    Frontier(URI start, Predicate<URI> wanted, int room) {
        this.wanted = wanted;
        sink = Sinks.many().unicast().onBackpressureBuffer(Queues.<URI>get(room).get());
        add(start);
        finishedOne();
    }

    Flux<URI> urls() {
        return sink.asFlux();
    }

    /** Takes in what a page led to. Not to be called for two pages at once. */
    void finished(Page page) {
        page.links().forEach(this::add);
        finishedOne();
    }

    /** Counts a URL as finished that nobody will ask for. */
    void dropped() {
        finishedOne();
    }

    private void add(URI url) {
        if (!wanted.test(url) || !known.add(url)) {
            return;
        }
        unfinished.incrementAndGet();
        if (sink.tryEmitNext(url).isFailure()) {
            unfinished.decrementAndGet(); // not the last: the page that led here is still unfinished
            known.remove(url);
        }
    }

    private void finishedOne() {
        if (unfinished.decrementAndGet() == 0) {
            sink.tryEmitComplete();
        }
    }
}
