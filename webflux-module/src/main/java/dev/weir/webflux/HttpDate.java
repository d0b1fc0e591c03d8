package dev.weir.webflux;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses a date in the three formats that recipients must accept (RFC 9110, section 5.6.7): {@code Sun, 06 Nov 1994 08:49:37 GMT},
 * {@code Sunday, 06-Nov-94 08:49:37 GMT} and {@code Sun Nov  6 08:49:37 1994}.
 */
final class HttpDate {

    /** The year has four digits: a pattern would take nine of them after a sign, and with them the last instants that there are. */
    private static final DateTimeFormatter OF_ASCTIME = new DateTimeFormatterBuilder()
            .appendPattern("EEE MMM ppd HH:mm:ss ")
            .appendValue(ChronoField.YEAR, 4)
            .toFormatter(Locale.ENGLISH);

    /** The weekday is ignored, as it cannot be checked without the century. */
    private static final Pattern WITH_SHORT_YEAR = Pattern.compile("\\p{Alpha}+day, (\\d\\d-.+)");

    private static final int MOST_YEARS_AHEAD = 50;

    private HttpDate() {}

    /** Returns the instant; empty if the text is not a date. */
    static Optional<Instant> parse(String text, Instant now) {
        Matcher shortYear = WITH_SHORT_YEAR.matcher(text);
        try {
            if (shortYear.matches()) {
                return Optional.of(withShortYear(shortYear.group(1), now));
            }
            return Optional.of(
                    text.contains(",")
                            ? ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                                    .toInstant()
                            : LocalDateTime.parse(text, OF_ASCTIME).toInstant(ZoneOffset.UTC));
        } catch (DateTimeException malformed) {
            return Optional.empty();
        }
    }

    /** Parses a date with a two-digit year; one more than 50 years ahead is taken to be in the past. */
    private static Instant withShortYear(String text, Instant now) {
        LocalDateTime latest = LocalDateTime.ofInstant(now, ZoneOffset.UTC).plusYears(MOST_YEARS_AHEAD);
        DateTimeFormatter format = new DateTimeFormatterBuilder()
                .appendPattern("dd-MMM-")
                .appendValueReduced(ChronoField.YEAR, 2, 2, latest.getYear() - 99)
                .appendPattern(" HH:mm:ss 'GMT'")
                .toFormatter(Locale.ENGLISH);
        LocalDateTime then = LocalDateTime.parse(text, format);
        return (then.isAfter(latest) ? then.minusYears(100) : then).toInstant(ZoneOffset.UTC);
    }
}
