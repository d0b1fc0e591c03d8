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
 * The pages that are known and not yet requested: a stream that is fed by its own results.
 *
 * <p>A URL is emitted when there is demand, and at most once. The stream completes when every URL that was added is
 * finished and has led to no other. The buffer is bounded by the number of pages to crawl: a URL for which there is no room
 * comes after more URLs than will ever be requested.
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

    /** Adds the links of a finished page. Must not be called concurrently. */
    void finished(Page page) {
        page.links().forEach(this::add);
        finishedOne();
    }

    /** Counts a URL as finished that will not be requested. */
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
