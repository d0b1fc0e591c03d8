package dev.weir.webflux;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;

/** Writes the header fields that inform a client about its limits. */
final class LimitFields {

    private static final String POLICY = "RateLimit-Policy";
    private static final String STATE = "RateLimit";
    private static final String LIMIT = "X-RateLimit-Limit";
    private static final String REMAINING = "X-RateLimit-Remaining";
    private static final String RESET = "X-RateLimit-Reset";

    /**
     * The least remaining first; of those, the longest time, as only then all of them let the client in. Those that know no time come
     * after those that do, the longest window first.
     */
    private static final Comparator<ReportedLimit> TIGHTEST_FIRST = Comparator.comparingLong(ReportedLimit::remaining)
            .thenComparing(told -> told.seconds().orElse(0), Comparator.reverseOrder())
            .thenComparing(told -> ReportedLimit.window(told.policies()).orElse(0), Comparator.reverseOrder());

    /**
     * What the filters of one request have reported so far, by limiter. Each filter writes all of it, so that the fields cover the
     * limits of all filters, and a limiter that several filters have asked is reported once, in its latest state.
     */
    private record ReportedSoFar(Map<RateLimiter, ReportedLimit> byLimiter) {

        static ReportedSoFar of(ServerWebExchange exchange, HeaderStyle style) {
            String name = LimitFields.class.getName() + "." + style;
            return (ReportedSoFar)
                    exchange.getAttributes().computeIfAbsent(name, none -> new ReportedSoFar(new LinkedHashMap<>()));
        }
    }

    /**
     * The state of one limiter that is reported.
     *
     * @param policies at least one
     * @param quota the least of the policies: no more can remain
     * @param seconds the time in which no more than what remains may be used; empty if not known
     */
    private record ReportedLimit(
            String name, List<QuotaPolicy> policies, int quota, long remaining, OptionalLong seconds) {

        /**
         * Returns the state to report. After a refusal nothing remains until the retry, even if fewer permits than requested are
         * available. If permits remain, the time is the whole window, which never overstates the rate. A leaky bucket with slack may
         * have more permits than its quota, one after the other.
         */
        static ReportedLimit of(RateLimiter limiter, List<QuotaPolicy> policies, int quota, OptionalLong retrySeconds) {
            long remaining = retrySeconds.isPresent() ? 0 : Math.max(0, Math.min(quota, limiter.availablePermits()));
            return new ReportedLimit(
                    limiter.name(), policies, quota, remaining, remaining == 0 ? retrySeconds : window(policies));
        }

        private static OptionalLong window(List<QuotaPolicy> policies) {
            return policies.stream()
                    .mapToLong(QuotaPolicy::windowSeconds)
                    .filter(window -> window > 0)
                    .max();
        }
    }

    private LimitFields() {}

    static void writePassed(HeaderStyle style, List<AskedLimit> asked, ServerWebExchange exchange) {
        write(style, asked, exchange, List.of(), OptionalLong.empty());
    }

    static void writeRefused(HeaderStyle style, List<AskedLimit> asked, ServerWebExchange exchange, Refusal refusal) {
        write(style, asked, exchange, refusal.violated(), refusal.retryAfterSeconds());
    }

    private static void write(
            HeaderStyle style,
            List<AskedLimit> asked,
            ServerWebExchange exchange,
            List<AskedLimit> violated,
            OptionalLong retry) {
        if (style == HeaderStyle.NONE || exchange.getResponse().isCommitted()) {
            return;
        }
        Map<RateLimiter, ReportedLimit> all = ReportedSoFar.of(exchange, style).byLimiter;
        for (AskedLimit limit : asked) {
            Limit whole = limit.limiter().limit();
            List<QuotaPolicy> policies = QuotaPolicy.of(whole);
            if (!policies.isEmpty()) {
                OptionalLong seconds = violated.contains(limit) ? retry : OptionalLong.empty();
                all.put(
                        limit.limiter(),
                        ReportedLimit.of(limit.limiter(), policies, QuotaPolicy.leastQuota(whole), seconds));
            }
        }
        if (!all.isEmpty()) {
            write(style, all, exchange.getResponse().getHeaders());
        }
    }

    private static void write(HeaderStyle style, Map<RateLimiter, ReportedLimit> all, HttpHeaders headers) {
        if (style == HeaderStyle.DRAFT_11) {
            headers.set(POLICY, all.values().stream().map(LimitFields::policies).collect(Collectors.joining(", ")));
            headers.set(STATE, all.values().stream().map(LimitFields::state).collect(Collectors.joining(", ")));
        } else {
            all.values().stream().min(TIGHTEST_FIRST).ifPresent(told -> writeLegacy(told, headers));
        }
    }

    private static String policies(ReportedLimit told) {
        List<String> policies = new ArrayList<>();
        for (QuotaPolicy policy : told.policies) {
            String name = policies.isEmpty() ? told.name : told.name + "-" + (policies.size() + 1);
            String window = policy.windowSeconds() > 0 ? ";w=" + policy.windowSeconds() : "";
            String unit = policy.isConcurrent() ? ";qu=\"concurrent-requests\"" : "";
            policies.add(quoted(name) + ";q=" + policy.quota() + window + unit);
        }
        return String.join(", ", policies);
    }

    private static String state(ReportedLimit told) {
        String seconds = told.seconds.isPresent() ? ";t=" + told.seconds.getAsLong() : "";
        return quoted(told.name) + ";r=" + told.remaining + seconds;
    }

    private static void writeLegacy(ReportedLimit told, HttpHeaders headers) {
        headers.set(LIMIT, Integer.toString(told.quota));
        headers.set(REMAINING, Long.toString(told.remaining));
        if (told.seconds.isPresent()) {
            headers.set(RESET, Long.toString(told.seconds.getAsLong()));
        } else if (headers.getFirst(RESET) != null) {
            headers.put(RESET, List.of()); // Spring 6 and 7 have no remove in common
        }
    }

    /** Formats a string of RFC 9651. */
    private static String quoted(String name) {
        return PolicyName.of(name)
                .chars()
                .mapToObj(Character::toString)
                .map(letter -> letter.equals("\"") || letter.equals("\\") ? "\\" + letter : letter)
                .collect(Collectors.joining("", "\"", "\""));
    }
}
