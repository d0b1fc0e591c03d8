package dev.weir.samples.crawler;

import dev.weir.limit.Limit;
import dev.weir.limit.SlidingWindowLog;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The parsed command line. */
record CrawlArguments(
        SlidingWindowLog limit, int pages, Optional<URI> url, boolean rx, boolean newestFirst, boolean help) {

    static final String USAGE = """
            usage: Crawler [--rate N] [--per DURATION] [--pages N] [--url URL] [--rx] [--newest-first]

              --rate N         at most N requests ...                                  (default 5)
              --per DURATION   ... in any interval this long: 1s, 500ms, 2m or PT1S    (default 1s)
              --pages N        how many pages                                          (default 20)
              --url URL        the site to crawl, instead of one made for the purpose
              --rx             on RxJava instead of Reactor
              --newest-first   the link found last goes next, instead of the one found first
              --help           this text
            """;

    /**
     * Parses a command line.
     *
     * @throws IllegalArgumentException if it is invalid, with a message of one line
     */
    static CrawlArguments parse(String... args) {
        Draft draft = new Draft();
        Iterator<String> words = Arrays.asList(args).iterator();
        while (words.hasNext()) {
            draft.set(words.next(), words);
        }
        return draft.finished();
    }

    /** The arguments while they are being parsed. */
    private static final class Draft {

        private int rate = 5;
        private Duration per = Duration.ofSeconds(1);
        private int pages = 20;
        private Optional<URI> url = Optional.empty();
        private boolean rx;
        private boolean newestFirst;
        private boolean help;

        void set(String option, Iterator<String> words) {
            switch (option) {
                case "--rate" -> rate = Value.of(option, words).asPositiveNumber();
                case "--per" -> per = Value.of(option, words).asDuration();
                case "--pages" -> pages = Value.of(option, words).asPositiveNumber();
                case "--url" -> url = Optional.of(Value.of(option, words).asWebsite());
                case "--rx" -> rx = true;
                case "--newest-first" -> newestFirst = true;
                case "--help" -> help = true;
                default -> throw new IllegalArgumentException("unknown option: " + option);
            }
        }

        CrawlArguments finished() {
            return new CrawlArguments(Limit.of(rate, per), pages, url, rx, newestFirst, help);
        }
    }

    /** The value of an option. */
    private record Value(String option, String word) {

        private static final Pattern AMOUNT_AND_UNIT = Pattern.compile("(\\d{1,9})(ms|s|m|h)");

        static Value of(String option, Iterator<String> words) {
            if (!words.hasNext()) {
                throw new IllegalArgumentException(option + " needs a value");
            }
            return new Value(option, words.next());
        }

        int asPositiveNumber() {
            try {
                int number = Integer.parseInt(word);
                if (number > 0) {
                    return number;
                }
            } catch (NumberFormatException notANumber) {
                // Reported below, with one message for both cases.
            }
            throw mustBe("a whole number, 1 or more");
        }

        Duration asDuration() {
            try {
                Duration duration = parsed();
                if (!duration.isNegative() && !duration.isZero()) {
                    return duration;
                }
            } catch (DateTimeParseException notADuration) {
                // Reported below, with one message for both cases.
            }
            throw mustBe("a duration above zero, such as 1s, 500ms or PT1S");
        }

        private Duration parsed() {
            Matcher matcher = AMOUNT_AND_UNIT.matcher(word);
            if (!matcher.matches()) {
                return Duration.parse(word);
            }
            long amount = Long.parseLong(matcher.group(1));
            return switch (matcher.group(2)) {
                case "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                case "m" -> Duration.ofMinutes(amount);
                default -> Duration.ofHours(amount);
            };
        }

        URI asWebsite() {
            try {
                URI url = new URI(word);
                boolean web = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
                if (web && url.getHost() != null) {
                    return url.getRawPath().isEmpty() ? url.resolve("/") : url;
                }
            } catch (URISyntaxException notAnAddress) {
                // Reported below, with one message for both cases.
            }
            throw mustBe("an address such as http://example.org/");
        }

        private IllegalArgumentException mustBe(String what) {
            return new IllegalArgumentException(option + " must be " + what + ", but is '" + word + "'");
        }
    }
}
