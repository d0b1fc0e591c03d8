package dev.weir.samples.crawler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class SiteTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Test
    void everyPageCanBeReachedFromHomeAndNoLinkIsBroken() {
        Map<String, String> pages = SitePages.write();
        Set<String> reached = new HashSet<>(Set.of("/"));
        Queue<String> toRead = new ArrayDeque<>(reached);
        while (!toRead.isEmpty()) {
            URI url = URI.create("http://site.test" + toRead.remove());
            Page.read(url, 200, "", pages.get(Page.path(url))).links().stream()
                    .map(Page::path)
                    .filter(reached::add)
                    .forEach(toRead::add);
        }
        assertThat(reached).isEqualTo(pages.keySet()).hasSizeGreaterThan(200);
    }

    @Test
    void servesItsPagesAndLogsThem() {
        List<Page> pages = Mono.usingWhen(Site.open(Limit.of(5, Duration.ofSeconds(1))), SiteTest::visit, Site::close)
                .block(PATIENCE);

        assertThat(pages).extracting(Page::outcome).containsExactly("200", "200", "404");
        assertThat(pages.get(0).links()).hasSizeGreaterThan(5);
    }

    private static Mono<List<Page>> visit(Site site) {
        return Mono.using(
                Fetcher::new,
                fetcher -> fetcher.robots(site.home())
                        .doOnNext(robots -> assertThat(robots.crawlDelay()).contains(Duration.ofMillis(200)))
                        .thenMany(fetcher.fetch(site.home()))
                        .concatWith(fetcher.fetch(site.home().resolve("/patient-dipper")))
                        .concatWith(fetcher.fetch(site.home().resolve("/dodo")))
                        .collectList()
                        .doOnNext(pages -> assertThat(site.log().entries())
                                .extracting(RequestLog.Entry::page)
                                .containsExactly("/", "/patient-dipper", "/dodo")),
                Fetcher::close);
    }
}
