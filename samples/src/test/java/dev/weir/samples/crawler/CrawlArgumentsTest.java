package dev.weir.samples.crawler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limit.Limit;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CrawlArgumentsTest {

    @Test
    void withoutArgumentsItIsTwentyPagesAtFiveInAnySecond() {
        CrawlArguments arguments = CrawlArguments.parse();

        assertThat(arguments.limit()).isEqualTo(Limit.of(5, Duration.ofSeconds(1)));
        assertThat(arguments.pages()).isEqualTo(20);
        assertThat(arguments.url()).isEmpty();
        assertThat(arguments.rx()).isFalse();
        assertThat(arguments.newestFirst()).isFalse();
    }

    @Test
    void everyOptionIsHeard() {
        CrawlArguments arguments = CrawlArguments.parse(
                "--rate",
                "3",
                "--per",
                "250ms",
                "--pages",
                "7",
                "--url",
                "https://example.org",
                "--rx",
                "--newest-first");

        assertThat(arguments.limit()).isEqualTo(Limit.of(3, Duration.ofMillis(250)));
        assertThat(arguments.pages()).isEqualTo(7);
        assertThat(arguments.url()).contains(URI.create("https://example.org/"));
        assertThat(arguments.rx()).isTrue();
        assertThat(arguments.newestFirst()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"1s,PT1S", "500ms,PT0.5S", "2m,PT2M", "1h,PT1H", "PT1S,PT1S", "pt0.25s,PT0.25S"})
    void durationsAreShortOrIso(String text, Duration expected) {
        assertThat(CrawlArguments.parse("--per", text).limit().period()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1.5", "many", "", "99999999999"})
    void whatIsNoPositiveNumberIsNamed(String number) {
        assertComplaint("'" + number + "'", "--rate", number);
        assertComplaint("'" + number + "'", "--pages", number);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0s", "-1s", "1", "1 s", "1d", "", "PT0S", "PT-1S", "soon"})
    void whatIsNoDurationIsNamed(String duration) {
        assertComplaint("'" + duration + "'", "--per", duration);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"example.org", "ftp://example.org/", "http://", "http:///path", "http://a b/", "mailto:a@b"})
    void whatIsNoWebsiteIsNamed(String url) {
        assertComplaint("'" + url + "'", "--url", url);
    }

    @Test
    void whatNoLimitCanKeepIsSaid() {
        assertComplaint("period must be at most", "--per", "PT999999999H");
    }

    @Test
    void aMissingValueAndAnUnknownOptionAreNamed() {
        assertComplaint("--rate needs a value", "--rx", "--rate");
        assertComplaint("unknown option: --speed", "--speed", "9");
        assertComplaint("unknown option: 5", "5");
    }

    private static void assertComplaint(String words, String... args) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CrawlArguments.parse(args))
                .withMessageContaining(words)
                .satisfies(complaint -> assertThat(complaint.getMessage()).hasLineCount(1));
    }
}
