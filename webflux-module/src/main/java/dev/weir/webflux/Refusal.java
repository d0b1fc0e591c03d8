package dev.weir.webflux;

import dev.weir.Lease;
import dev.weir.RefusalReason;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * The response to a refused request: a status, when to retry, and an RFC 9457 problem, of the types that
 * draft-ietf-httpapi-ratelimit-headers-11 defines for exceeded quotas and reduced capacity.
 *
 * @param status 429 for a quota, 503 for lack of capacity, 403 for a missing key
 * @param retryAfterSeconds when to retry, at least 1; empty if a retry would not help
 * @param violated the limits that refused
 * @param detail what the client has to change, in a sentence; null if nothing
 */
record Refusal(
        HttpStatus status,
        OptionalLong retryAfterSeconds,
        List<AskedLimit> violated,
        @Nullable String detail) implements LimitSource.Found {

    private static final String TYPES = "https://iana.org/assignments/http-problem-types#";

    private static final String VIOLATED = "violated-policies";

    /** Reasons that are not an exceeded quota, whichever limiter they come from. */
    private static final Set<RefusalReason> UNAVAILABLE =
            EnumSet.of(RefusalReason.CLOSED, RefusalReason.BACKEND_UNAVAILABLE);

    private Refusal(HttpStatus status, OptionalLong retryAfterSeconds, List<AskedLimit> violated) {
        this(status, retryAfterSeconds, violated, null);
    }

    static Refusal of(Lease lease, List<AskedLimit> asked) {
        List<AskedLimit> by = whoRefused(lease, asked);
        boolean isUnavailable = lease.reason().filter(UNAVAILABLE::contains).isPresent();
        if (!isUnavailable && by.stream().anyMatch(limit -> limit.capacity() < lease.permits())) {
            return tooLarge(by); // the limit has become smaller in the meantime
        }
        boolean isOurs = isUnavailable || by.stream().anyMatch(AskedLimit::protectsServer);
        long seconds = lease.retryAfter().map(QuotaPolicy::secondsUp).orElse(1L);
        return new Refusal(
                isOurs ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.TOO_MANY_REQUESTS, OptionalLong.of(seconds), by);
    }

    /** Finds the limits by index, not by name: names may be equal, and for a chain the lease names a member, not the chain. */
    private static List<AskedLimit> whoRefused(Lease lease, List<AskedLimit> asked) {
        return asked.size() == 1
                ? asked
                : lease.refusedAt().stream().mapToObj(asked::get).toList();
    }

    /** Refuses a request that costs more than some of the limits could ever grant. */
    static Refusal tooLarge(List<AskedLimit> exceeded) {
        return new Refusal(HttpStatus.TOO_MANY_REQUESTS, OptionalLong.empty(), exceeded);
    }

    /** Refuses because limiters are closed, like requests that waited when they were. */
    static Refusal closed(List<AskedLimit> closed) {
        return new Refusal(HttpStatus.SERVICE_UNAVAILABLE, OptionalLong.of(1), closed);
    }

    /** Refuses a request without a key. */
    static Refusal without(String need) {
        return new Refusal(HttpStatus.FORBIDDEN, OptionalLong.empty(), List.of(), "This request needs " + need + ".");
    }

    /**
     * Writes the response, status included, unless it has already been committed.
     *
     * @param writer null to write the problem
     */
    Mono<Void> writeTo(ServerWebExchange exchange, @Nullable RefusalWriter writer) {
        ServerHttpResponse response = exchange.getResponse();
        if (response.isCommitted()) {
            return Mono.empty();
        }
        response.setStatusCode(status);
        tellWhenToRetry(response.getHeaders());
        return writer == null
                ? writeProblem(response)
                : Objects.requireNonNull(
                        writer.write(exchange, described()), () -> "RefusalWriter " + writer + " returned null");
    }

    private Mono<Void> writeProblem(ServerHttpResponse response) {
        response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        byte[] body = json(problem()).getBytes(StandardCharsets.UTF_8);
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
    }

    private ErrorResponse described() {
        HttpHeaders headers = new HttpHeaders();
        tellWhenToRetry(headers);
        return new DescribedRefusal(status, headers, problem());
    }

    private void tellWhenToRetry(HttpHeaders headers) {
        retryAfterSeconds.ifPresent(seconds -> headers.set("Retry-After", Long.toString(seconds)));
    }

    private ProblemDetail problem() {
        ProblemDetail problem = ProblemDetail.forStatus(status);
        switch (status) {
            case TOO_MANY_REQUESTS -> name(problem, TYPES + "quota-exceeded", "Too many requests");
            case SERVICE_UNAVAILABLE ->
                name(problem, TYPES + "temporary-reduced-capacity", "No capacity at the moment");
            default -> name(problem, "about:blank", status.getReasonPhrase());
        }
        problem.setDetail(detail);
        if (!violated.isEmpty()) {
            problem.setProperty(VIOLATED, violatedPolicies());
        }
        return problem;
    }

    private static void name(ProblemDetail problem, String type, String title) {
        problem.setType(URI.create(type));
        problem.setTitle(title);
    }

    private List<String> violatedPolicies() {
        return violated.stream().map(AskedLimit::name).map(PolicyName::of).toList();
    }

    private String json(ProblemDetail problem) {
        String names = violatedPolicies().stream().map(Refusal::quoted).collect(Collectors.joining(",", "[", "]"));
        return "{\"type\":" + quoted(String.valueOf(problem.getType()))
                + ",\"title\":" + quoted(String.valueOf(problem.getTitle()))
                + ",\"status\":" + problem.getStatus()
                + (detail == null ? "" : ",\"detail\":" + quoted(detail))
                + (violated.isEmpty() ? "" : "," + quoted(VIOLATED) + ":" + names) + "}";
    }

    /** Formats a JSON string; everything but printable ASCII is escaped. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int index = 0; index < text.length(); index++) {
            char letter = text.charAt(index);
            if (letter < ' ' || letter > '~' || letter == '"' || letter == '\\') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) letter));
            } else {
                quoted.append(letter);
            }
        }
        return quoted.append('"').toString();
    }
}
