package dev.weir.webflux;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;

/**
 * What the header fields of a response say about the server's limits. Malformed fields are ignored.
 *
 * @param pause for how long to send no requests
 * @param policies the request quotas that the server announces
 */
record ServerAdvice(Optional<Duration> pause, List<QuotaPolicy> policies) {

    /** Upper bound of all durations, so that nothing overflows. */
    private static final long MOST_SECONDS = Duration.ofDays(36_500).toSeconds();

    private static final Pattern SECONDS = Pattern.compile("\\d+");

    /** No field has fractions by its specification, but some servers send one. */
    private static final Pattern WITH_FRACTION = Pattern.compile("(\\d+)(?:\\.(\\d+))?");

    private static final int LONGEST_NUMBER = 18;

    /** What longer numbers are taken for: beyond all bounds, and yet far from an overflow. */
    private static final long LARGEST_NUMBER = 1_000_000_000_000_000_000L;

    static ServerAdvice of(int status, HttpHeaders headers, Clock clock) {
        Optional<Duration> retryAfter =
                status == 429 || status == 503 ? retryAfter(headers, clock) : Optional.<Duration>empty();
        if (isFromCache(headers)) {
            return new ServerAdvice(retryAfter, List.of());
        }
        return new ServerAdvice(
                retryAfter.or(() -> untilQuotaReturns(headers, clock)),
                ListField.parse(HeaderLines.joined(headers, "RateLimit-Policy")).stream()
                        .flatMap(item -> policy(item).stream())
                        .toList());
    }

    /** Returns whether the response is from a cache, so that its fields describe an earlier request. */
    private static boolean isFromCache(HttpHeaders headers) {
        return !age(headers).isZero();
    }

    private static Duration age(HttpHeaders headers) {
        String age = headers.getFirst("Age");
        return age != null && SECONDS.matcher(age.strip()).matches() ? seconds(age.strip()) : Duration.ZERO;
    }

    /** Of several, the longest: to come back later is never wrong. */
    private static Optional<Duration> retryAfter(HttpHeaders headers, Clock clock) {
        return HeaderLines.of(headers, "Retry-After").stream()
                .flatMap(value -> retryAfter(value.strip(), headers, clock).stream())
                .max(Duration::compareTo);
    }

    private static Optional<Duration> retryAfter(String value, HttpHeaders headers, Clock clock) {
        OptionalLong number = roundedUp(value);
        if (number.isPresent()) {
            return Optional.of(seconds(number.getAsLong()));
        }
        return date(value, clock)
                .map(then -> Duration.between(serverTime(headers, clock), then))
                .filter(pause -> pause.compareTo(Duration.ZERO) > 0);
    }

    /**
     * Returns the time of the server's clock, to which its dates refer: from {@code Date}, and {@code Age} since then if a cache has
     * kept the response (RFC 9111, section 4.2.3); otherwise that of the local clock.
     */
    private static Instant serverTime(HttpHeaders headers, Clock clock) {
        return Optional.ofNullable(headers.getFirst("Date"))
                .flatMap(date -> date(date, clock))
                .map(date -> date.plus(age(headers)))
                .orElseGet(clock::instant);
    }

    private static Optional<Instant> date(String text, Clock clock) {
        return HttpDate.parse(text.strip(), clock.instant());
    }

    private static Duration seconds(String digits) {
        return seconds(number(digits));
    }

    static Duration seconds(long seconds) {
        return Duration.ofSeconds(Math.min(MOST_SECONDS, seconds));
    }

    /** Returns a number without its fraction, rounded up; empty if the text is none. */
    static OptionalLong roundedUp(String text) {
        Matcher number = WITH_FRACTION.matcher(text);
        if (!number.matches()) {
            return OptionalLong.empty();
        }
        boolean isWhole = number.group(2) == null || number.group(2).matches("0+");
        return OptionalLong.of(number(number.group(1)) + (isWhole ? 0 : 1));
    }

    private static long number(String digits) {
        return digits.length() > LONGEST_NUMBER ? LARGEST_NUMBER : Long.parseLong(digits);
    }

    private static Optional<Duration> untilQuotaReturns(HttpHeaders headers, Clock clock) {
        return ListField.parse(HeaderLines.joined(headers, "RateLimit")).stream()
                .filter(item -> isZero(item.number("r")))
                .map(item -> item.number("t"))
                .filter(OptionalLong::isPresent)
                .map(time -> seconds(time.getAsLong()))
                .max(Duration::compareTo)
                .or(() -> EarlierFields.untilReset(headers, serverTime(headers, clock)))
                .filter(pause -> pause.compareTo(Duration.ZERO) > 0);
    }

    private static boolean isZero(OptionalLong number) {
        return number.isPresent() && number.getAsLong() == 0;
    }

    private static Optional<QuotaPolicy> policy(ListField.Item item) {
        boolean isOfRequests =
                item.text("qu").filter(unit -> !unit.equals("requests")).isEmpty();
        long quota = item.number("q").orElse(0);
        long window = item.number("w").orElse(0);
        return isOfRequests && quota > 0 && window > 0
                ? Optional.of(new QuotaPolicy((int) Math.min(Integer.MAX_VALUE, quota), window, false))
                : Optional.empty();
    }
}
