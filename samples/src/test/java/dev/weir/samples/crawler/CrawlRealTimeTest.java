package dev.weir.samples.crawler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** Crawls the site for about a second, and looks at the logs of both sides. */
class CrawlRealTimeTest {

    enum Library {
        REACTOR,
        RXJAVA;

        Publisher<Page> pages(Crawl crawl) {
            return this == REACTOR ? ReactorCrawl.pages(crawl) : RxJavaCrawl.pages(crawl);
        }
    }

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final SlidingWindowLog LIMIT = Limit.of(3, Duration.ofMillis(400));

    private final Site site = Site.open(LIMIT).block(PATIENCE);
    private final Fetcher fetcher = new Fetcher();
    private final RequestLog client = new RequestLog();

    @AfterEach
    void close() {
        fetcher.close();
        site.close().block(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource
    void keepsToTheRateOnBothSidesOfTheWire(Library library) {
        new Rehearsal(crawl -> Flux.from(library.pages(crawl)), false)
                .overHttp(fetcher)
                .block(PATIENCE);

        List<Page> pages = crawl(library, LIMIT, 10, false);

        assertThat(pages).hasSize(10).allMatch(Page::isOk).doesNotHaveDuplicates();
        assertThat(client.entries()).hasSize(10);
        assertThat(site.log().entries()).hasSize(10);
        assertThat(client.mostInAny(LIMIT.period())).isLessThanOrEqualTo(3);
        // No slower either; but now and then a busy machine is.
        assertThat(client.closest(4))
                .hasValueSatisfying(closest -> assertThat(closest).isLessThan(Duration.ofMillis(700)));
        // Nothing arrives before its permit is there; some of it may be later than the rest.
        Map<String, Long> granted =
                client.entries().stream().collect(Collectors.toMap(RequestLog.Entry::page, RequestLog.Entry::nanos));
        assertThat(site.log().entries())
                .allSatisfy(arrived -> assertThat(arrived.nanos()).isGreaterThanOrEqualTo(granted.get(arrived.page())));
    }

    @ParameterizedTest
    @EnumSource
    void endsWhenThereAreNoMorePages(Library library) {
        int all = SitePages.write().size();

        assertThat(crawl(library, Limit.of(1_000_000, Duration.ofSeconds(1)), all + 100, false))
                .hasSize(all);
    }

    @ParameterizedTest
    @EnumSource
    void endsWhenThereAreNoMorePagesNewestFirst(Library library) {
        int all = SitePages.write().size();

        assertThat(crawl(library, Limit.of(1_000_000, Duration.ofSeconds(1)), all + 100, true))
                .hasSize(all);
    }

    @ParameterizedTest
    @EnumSource
    void newestFirstFollowsTheLinkFoundLast(Library library) {
        List<Page> pages = crawl(library, Limit.of(1, Duration.ofMillis(300)), 2, true);

        List<String> links = pages.get(0).links().stream()
                .map(Page::path)
                .distinct()
                .filter(path -> !path.equals("/"))
                .toList();
        assertThat(pages.get(1).path()).isEqualTo(links.get(links.size() - 1));
    }

    private List<Page> crawl(Library library, SlidingWindowLog limit, int pages, boolean newestFirst) {
        Frontier frontier = new Frontier(site.home(), url -> true, pages);
        Crawl crawl = new Crawl(frontier, limit, pages, newestFirst, client, fetcher::fetch);
        return Flux.from(library.pages(crawl)).collectList().block(PATIENCE);
    }
}
