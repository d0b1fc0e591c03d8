package dev.weir.webflux;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * The header fields by which servers told of their quotas before {@code RateLimit} was a list: {@code X-RateLimit-*}, the same
 * without {@code X-} (draft-ietf-httpapi-ratelimit-headers 00 to 06), and {@code RateLimit} as a dictionary (draft 07).
 */
final class EarlierFields {

    /** From here on, numbers are epoch seconds rather than durations: no limit lasts 31 years. */
    private static final long FIRST_INSTANT = 1_000_000_000L;

    /** From here on, they are epoch milliseconds: the seconds would be of the year 33,658. */
    private static final long FIRST_MILLIS = 1_000 * FIRST_INSTANT;

    private static final Pattern REMAINING = Pattern.compile("(?:^|[,\\s])remaining\\s*=\\s*(\\d+)");
    private static final Pattern RESET = Pattern.compile("(?:^|[,\\s])reset\\s*=\\s*(\\d+(?:\\.\\d+)?)");

    private EarlierFields() {}

    /** Returns how long a quota that is used up stays so, the longest of what the kinds of fields say; empty if none does. */
    static Optional<Duration> untilReset(HttpHeaders headers, Instant serverTime) {
        String dictionary = HeaderLines.joined(headers, "RateLimit");
        return Stream.of(
                        until(
                                headers.getFirst("X-RateLimit-Remaining"),
                                headers.getFirst("X-RateLimit-Reset"),
                                serverTime),
                        until(headers.getFirst("RateLimit-Remaining"), headers.getFirst("RateLimit-Reset"), serverTime),
                        until(member(REMAINING, dictionary), member(RESET, dictionary), serverTime))
                .flatMap(Optional::stream)
                .max(Duration::compareTo);
    }

    private static @Nullable String member(Pattern named, String dictionary) {
        Matcher found = named.matcher(dictionary);
        return found.find() ? found.group(1) : null;
    }

    private static Optional<Duration> until(@Nullable String remaining, @Nullable String reset, Instant serverTime) {
        OptionalLong stated = reset == null ? OptionalLong.empty() : ServerAdvice.roundedUp(reset);
        if (!"0".equals(remaining) || stated.isEmpty()) {
            return Optional.empty();
        }
        long number = stated.getAsLong();
        if (number < FIRST_INSTANT) {
            return Optional.of(Duration.ofSeconds(number));
        }
        long instant = number < FIRST_MILLIS ? number : (number - 1) / 1_000 + 1;
        return Optional.of(ServerAdvice.seconds(instant - serverTime.getEpochSecond()));
    }
}
