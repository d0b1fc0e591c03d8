package dev.weir.webflux;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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

    /** From here on, numbers are epoch seconds rather than durations: no limit lasts 31 years. */
    private static final long FIRST_INSTANT = 1_000_000_000L;

    private static final Pattern SECONDS = Pattern.compile("\\d+");
    private static final int LONGEST_NUMBER = 18;

    static ServerAdvice of(int status, HttpHeaders headers, Clock clock) {
        Optional<Duration> retryAfter =
                status == 429 || status == 503 ? retryAfter(headers, clock) : Optional.<Duration>empty();
        if (isFromCache(headers)) {
            return new ServerAdvice(retryAfter, List.of());
        }
        return new ServerAdvice(
                retryAfter.or(() -> untilQuotaReturns(headers, clock)),
                ListField.parse(lines(headers, "RateLimit-Policy")).stream()
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

    private static Optional<Duration> retryAfter(HttpHeaders headers, Clock clock) {
        String text = headers.getFirst("Retry-After");
        if (text == null) {
            return Optional.empty();
        }
        String value = text.strip();
        return SECONDS.matcher(value).matches()
                ? Optional.of(seconds(value))
                : date(value, clock)
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
        long seconds = digits.length() > LONGEST_NUMBER ? MOST_SECONDS : Long.parseLong(digits);
        return Duration.ofSeconds(Math.min(MOST_SECONDS, seconds));
    }

    private static Optional<Duration> untilQuotaReturns(HttpHeaders headers, Clock clock) {
        return ListField.parse(lines(headers, "RateLimit")).stream()
                .filter(item -> isZero(item.number("r")))
                .map(item -> item.number("t"))
                .filter(OptionalLong::isPresent)
                .map(time -> Duration.ofSeconds(Math.min(MOST_SECONDS, time.getAsLong())))
                .max(Duration::compareTo)
                .or(() -> untilLegacyReset(headers, clock))
                .filter(pause -> pause.compareTo(Duration.ZERO) > 0);
    }

    private static boolean isZero(OptionalLong number) {
        return number.isPresent() && number.getAsLong() == 0;
    }

    private static Optional<Duration> untilLegacyReset(HttpHeaders headers, Clock clock) {
        String reset = headers.getFirst("X-RateLimit-Reset");
        if (!"0".equals(headers.getFirst("X-RateLimit-Remaining"))
                || reset == null
                || !SECONDS.matcher(reset).matches()) {
            return Optional.empty();
        }
        long number = reset.length() > LONGEST_NUMBER ? Long.MAX_VALUE : Long.parseLong(reset);
        if (number < FIRST_INSTANT) {
            return Optional.of(Duration.ofSeconds(number));
        }
        long now = serverTime(headers, clock).getEpochSecond();
        return Optional.of(Duration.ofSeconds(Math.min(MOST_SECONDS, number - now)));
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

    private static String lines(HttpHeaders headers, String name) {
        StringBuilder joined = new StringBuilder();
        headers.forEach((field, values) -> {
            if (field.equalsIgnoreCase(name)) {
                values.forEach(
                        value -> joined.append(joined.isEmpty() ? "" : ", ").append(value));
            }
        });
        return joined.toString();
    }
}
