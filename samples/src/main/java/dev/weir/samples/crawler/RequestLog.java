package dev.weir.samples.crawler;

import dev.weir.samples.Intervals;
import dev.weir.time.TimeSource;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Which pages were requested, and when. Thread-safe. */
final class RequestLog {

    /**
     * One request.
     *
     * @param page its path and query
     * @param nanos when it was made, on a clock common to all entries
     */
    record Entry(String page, long nanos) {}

    private final TimeSource clock;
    private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();

    RequestLog() {
        this(TimeSource.system());
    }

    RequestLog(TimeSource clock) {
        this.clock = clock;
    }

    void add(URI url, long nanos) {
        entries.add(new Entry(Page.path(url), nanos));
    }

    void add(String page) {
        entries.add(new Entry(page, clock.nanoTime()));
    }

    List<Entry> entries() {
        return List.copyOf(entries);
    }

    /** Returns the most requests in any interval of this length, wherever it begins; the interval excludes its end. */
    int mostInAny(Duration interval) {
        return Intervals.mostInAny(entries.stream().mapToLong(Entry::nanos), interval);
    }

    /** Returns the shortest time from the first to the last of {@code requests} in a row; empty if there were fewer. */
    Optional<Duration> closest(long requests) {
        return Intervals.closest(entries.stream().mapToLong(Entry::nanos), requests);
    }
}
