package dev.weir.samples.crawler;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.SignalType;

class FrontierTest {

    private static final URI START = url(0);

    @Test
    void givesOutOnlyWhatIsAskedFor() {
        Frontier frontier = new Frontier(START, url -> true, 10);
        Reader reader = new Reader(frontier);
        assertThat(reader.urls).isEmpty();

        reader.request(2);
        assertThat(reader.urls).containsExactly(START);

        frontier.finished(page(0, 1, 2, 3));
        assertThat(reader.urls).containsExactly(START, url(1));

        reader.request(5);
        assertThat(reader.urls).containsExactly(START, url(1), url(2), url(3));
    }

    @Test
    void givesOutNothingTwice() {
        Frontier frontier = new Frontier(START, url -> true, 10);
        Reader reader = new Reader(frontier);
        reader.request(10);

        frontier.finished(page(0, 1, 0, 1));
        frontier.finished(page(1, 0, 1, 2));

        assertThat(reader.urls).containsExactly(START, url(1), url(2));
    }

    @Test
    void endsWhenAllIsFinishedAndLedToNothingNew() {
        Frontier frontier = new Frontier(START, url -> true, 10);
        Reader reader = new Reader(frontier);
        reader.request(10);

        frontier.finished(page(0, 1, 2));
        frontier.finished(page(2));
        assertThat(reader.completed).isFalse();

        frontier.dropped();
        assertThat(reader.completed).isTrue();
    }

    @Test
    void endsAtOnceWhenTheStartIsUnwanted() {
        Reader reader = new Reader(new Frontier(START, url -> false, 10));

        assertThat(reader.urls).isEmpty();
        assertThat(reader.completed).isTrue();
    }

    @Test
    void holdsNoMoreThanItsRoomAndStillEnds() {
        Frontier frontier = new Frontier(START, url -> true, 8);
        Reader reader = new Reader(frontier);
        reader.request(1);

        frontier.finished(page(0, IntStream.rangeClosed(1, 100).toArray()));
        reader.request(100);
        assertThat(reader.urls).hasSize(1 + 8).startsWith(START, url(1), url(2));

        reader.urls.stream().skip(1).forEach(url -> frontier.finished(new Page(url, "200", List.of())));
        assertThat(reader.completed).isTrue();
    }

    private static Page page(int number, int... links) {
        return new Page(
                url(number),
                "200",
                IntStream.of(links).mapToObj(FrontierTest::url).toList());
    }

    private static URI url(int number) {
        return URI.create("http://site.test/" + number);
    }

    /** Asks for nothing by itself. */
    private static final class Reader extends BaseSubscriber<URI> {

        private final List<URI> urls = new ArrayList<>();
        private boolean completed;

        Reader(Frontier frontier) {
            frontier.urls().subscribe(this);
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {}

        @Override
        protected void hookOnNext(URI url) {
            urls.add(url);
        }

        @Override
        protected void hookFinally(SignalType type) {
            completed = type == SignalType.ON_COMPLETE;
        }
    }
}
