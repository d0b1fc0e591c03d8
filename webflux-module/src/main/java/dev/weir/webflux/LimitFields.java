package dev.weir.webflux;

import dev.weir.RateLimiter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;

/** Writes the header fields that tell a client about its limits. */
final class LimitFields {

    private static final String POLICY = "RateLimit-Policy";
    private static final String STATE = "RateLimit";
    private static final String LIMIT = "X-RateLimit-Limit";
    private static final String REMAINING = "X-RateLimit-Remaining";
    private static final String RESET = "X-RateLimit-Reset";
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    /**
     * What one limiter has to tell.
     *
     * @param seconds the time in which no more than what remains may be used, or not known
     */
    private record Told(String name, List<Policy> policies, long remaining, OptionalLong seconds) {

        static Told of(RateLimiter limiter, OptionalLong retrySeconds) {
            List<Policy> policies = Policy.of(limiter.limit());
            long remaining = Math.max(0, limiter.availablePermits());
            return new Told(limiter.name(), policies, remaining, secondsOf(policies, remaining, retrySeconds));
        }

        /** With nothing left: until the retry. With something left: the whole window, which never overstates the rate. */
        private static OptionalLong secondsOf(List<Policy> policies, long remaining, OptionalLong retrySeconds) {
            if (retrySeconds.isPresent() || remaining == 0) {
                return retrySeconds;
            }
            return policies.stream()
                    .mapToLong(Policy::windowSeconds)
                    .filter(window -> window > 0)
                    .max();
        }
    }

    private LimitFields() {}

    static void writePassed(HeaderStyle style, List<AskedLimit> asked, HttpHeaders headers) {
        write(style, asked, headers, List.of(), OptionalLong.empty());
    }

    static void writeRefused(HeaderStyle style, List<AskedLimit> asked, HttpHeaders headers, Refusal refusal) {
        write(style, asked, headers, refusal.violated(), refusal.retryAfterSeconds());
    }

    private static void write(
            HeaderStyle style,
            List<AskedLimit> asked,
            HttpHeaders headers,
            List<AskedLimit> violated,
            OptionalLong retry) {
        if (style == HeaderStyle.NONE) {
            return;
        }
        List<Told> all = new ArrayList<>();
        for (AskedLimit limit : asked) {
            OptionalLong seconds = violated.contains(limit) ? retry : OptionalLong.empty();
            Told told = Told.of(limit.limiter(), seconds);
            if (!told.policies.isEmpty()) {
                all.add(told);
            }
        }
        if (style == HeaderStyle.DRAFT_11) {
            all.forEach(told -> writeDraft(told, headers));
        } else {
            all.stream().min(Comparator.comparingLong(Told::remaining)).ifPresent(told -> writeLegacy(told, headers));
        }
    }

    /** Adds, as several filters may have something to tell. */
    private static void writeDraft(Told told, HttpHeaders headers) {
        List<String> policies = new ArrayList<>();
        for (Policy policy : told.policies) {
            String name = policies.isEmpty() ? told.name : told.name + "-" + (policies.size() + 1);
            String window = policy.windowSeconds() > 0 ? ";w=" + policy.windowSeconds() : "";
            String unit = policy.isConcurrent() ? ";qu=\"concurrent-requests\"" : "";
            policies.add(quoted(name) + ";q=" + policy.quota() + window + unit);
        }
        headers.add(POLICY, String.join(", ", policies));
        String seconds = told.seconds.isPresent() ? ";t=" + told.seconds.getAsLong() : "";
        headers.add(STATE, quoted(told.name) + ";r=" + told.remaining + seconds);
    }

    /** Leaves what another filter wrote if that has less to give. */
    private static void writeLegacy(Told told, HttpHeaders headers) {
        String written = headers.getFirst(REMAINING);
        if (written != null && NUMBER.matcher(written).matches() && Long.parseLong(written) <= told.remaining) {
            return;
        }
        headers.set(LIMIT, Integer.toString(told.policies.get(0).quota()));
        headers.set(REMAINING, Long.toString(told.remaining));
        told.seconds.ifPresent(seconds -> headers.set(RESET, Long.toString(seconds)));
    }

    /** Writes a string of RFC 9651. */
    private static String quoted(String name) {
        return PolicyName.of(name)
                .chars()
                .mapToObj(Character::toString)
                .map(letter -> letter.equals("\"") || letter.equals("\\") ? "\\" + letter : letter)
                .collect(Collectors.joining("", "\"", "\""));
    }
}
