package dev.weir.samples.crawler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RobotsTest {

    private static final SlidingWindowLog FIVE_A_SECOND = Limit.of(5, Duration.ofSeconds(1));

    @Test
    void readsWhatIsAddressedToEverybody() {
        Robots robots = Robots.parse("""
                # Welcome
                User-Agent: hasty
                Crawl-delay: 60
                Disallow: /

                User-agent: *
                User-agent: somebody
                crawl-delay: 0.5  # seconds
                Disallow: /private
                Disallow:
                Allow: /public
                """);

        assertThat(robots.crawlDelay()).contains(Duration.ofMillis(500));
        assertThat(robots.allows(URI.create("http://a/private/1"))).isFalse();
        assertThat(robots.allows(URI.create("http://a/"))).isTrue();
    }

    @Test
    void passesOverWhatMakesNoSense() {
        assertThat(Robots.parse("User-agent: *\nCrawl-delay: soon\nnonsense")).isEqualTo(Robots.parse(""));
        assertThat(Robots.parse("User-agent: *\nCrawl-delay: 0").crawlDelay()).isEmpty();
    }

    @Test
    void aLimitThatKeepsTheDelayOnAverageStays() {
        assertThat(Robots.parse("User-agent: *\nCrawl-delay: 0.2").slowed(FIVE_A_SECOND))
                .isEqualTo(FIVE_A_SECOND);
        assertThat(Robots.parse("").slowed(FIVE_A_SECOND)).isEqualTo(FIVE_A_SECOND);
    }

    @Test
    void aLongerDelayBecomesTheLimit() {
        assertThat(Robots.parse("User-agent: *\nCrawl-delay: 0.201").slowed(FIVE_A_SECOND))
                .isEqualTo(Limit.of(1, Duration.ofMillis(201)));
    }
}
