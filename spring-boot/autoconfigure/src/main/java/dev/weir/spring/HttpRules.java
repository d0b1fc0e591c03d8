package dev.weir.spring;

import dev.weir.webflux.RateLimitWebFilter;
import dev.weir.webflux.RefusalWriter;
import dev.weir.webflux.RequestKey;
import dev.weir.webflux.RequestLimits;
import dev.weir.webflux.RequestLimitsBuilder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Creates the filters of the rules, and the limits that annotations can name. While this is open, no change by
 * {@link NamedLimits} that begins makes a limit less than one of the rules costs.
 */
final class HttpRules implements AutoCloseable {

    private final NamedLimits named;
    private final WeirProperties.Http http;
    private final RequestKeys keys;
    private final Duration deadline;
    private final @Nullable RefusalWriter writer;
    private final List<HttpRule> rules;
    private final Map<RulePlace, List<RateLimitWebFilter>> filters;
    private final Runnable endOfChecks;

    /**
     * Creates the rules and their filters, and so finds whatever is wrong with a rule.
     *
     * @param paths matches the paths of rules: as those of the application's handlers are
     * @param writer writes refusals; null for problems
     */
    HttpRules(
            NamedLimits named,
            WeirProperties properties,
            Map<String, RequestKey> keys,
            PathPatternParser paths,
            @Nullable RefusalWriter writer) {
        this.named = named;
        this.http = properties.http();
        this.deadline = properties.redis().deadline();
        this.writer = writer;
        this.keys = new RequestKeys(http, keys, paths);
        named.names().forEach(this::requireKnownKey);
        this.rules = IntStream.range(0, http.rules().size())
                .mapToObj(index -> new HttpRule(index, http.rules().get(index), named))
                .toList();
        this.filters = rules.stream()
                .collect(Collectors.groupingBy(
                        this::place, Collectors.mapping(rule -> filter(rule, paths), Collectors.toList())));
        // In this order, a change that begins in between is checked, too.
        this.endOfChecks = named.checkChanges(this::rejectTooSmall);
        rejectTooSmallNow();
    }

    private void rejectTooSmallNow() {
        try {
            named.names().stream().map(named::definition).forEach(this::rejectTooSmall);
        } catch (InvalidLimitException tooSmall) {
            close();
            throw tooSmall;
        }
    }

    private void requireKnownKey(String name) {
        String key = named.definition(name).key();
        if (key != null) {
            keys.find(name, key, List.of());
        }
    }

    /** Has a rule work early if all its keys are known then. */
    private RulePlace place(HttpRule rule) {
        boolean isEarly = rule.names().stream()
                .map(name -> named.definition(name).key())
                .allMatch(key -> key == null || RequestKeys.isKnownEarly(key));
        return isEarly ? RulePlace.EARLY : RulePlace.LATE;
    }

    private RateLimitWebFilter filter(HttpRule rule, PathPatternParser paths) {
        RateLimitWebFilter.Builder builder = answering(rule.filter(paths));
        for (String name : rule.names()) {
            if (rule.protectsBy(name)) {
                builder.protect(named.limiter(name));
            } else {
                add(builder, name, rule.paths());
            }
        }
        waitWhereSaid(builder, rule.names());
        return builder.build();
    }

    private <B extends RequestLimitsBuilder<B>> B answering(B builder) {
        builder.headers(http.headers());
        return writer == null ? builder : builder.refusals(writer);
    }

    /** Rejects a limit, changed or not, that can never grant what a rule that names it costs. */
    private void rejectTooSmall(LimitDefinition limit) {
        rules.stream().filter(rule -> rule.names().contains(limit.name())).forEach(rule -> rule.checkCost(limit));
    }

    /** Returns the filters of the rules that work at one place, in their order. */
    List<RateLimitWebFilter> filters(RulePlace place) {
        return filters.getOrDefault(place, List.of());
    }

    private void add(RequestLimitsBuilder<?> builder, String name, List<String> patterns) {
        LimitDefinition definition = named.definition(name);
        String key = definition.key();
        if (key == null) {
            builder.limit(named.limiter(name));
        } else {
            builder.limit(keys.find(name, key, patterns), named.partitioned(name), definition.withoutKey());
        }
    }

    /**
     * Has requests wait if a limit says so. Those that are not meant to wait for permits wait for Redis where there are several limits:
     * longer than its deadline, so that its answer can arrive. One limit alone waits for the answer by itself. A deadline that nobody
     * uses is not looked at, as nobody has checked it.
     */
    private void waitWhereSaid(RequestLimitsBuilder<?> builder, List<String> names) {
        List<LimitDefinition> limits = names.stream().map(named::definition).toList();
        if (limits.stream().anyMatch(LimitDefinition::waiting)) {
            builder.waiting();
        } else if (limits.size() > 1 && limits.stream().anyMatch(limit -> limit.backend() == LimitBackend.REDIS)) {
            builder.waiting(deadline.multipliedBy(2));
        }
    }

    /** Returns the limits that annotations can name: each limit by itself. */
    Map<String, RequestLimits> byName() {
        Map<String, RequestLimits> limits = new LinkedHashMap<>();
        for (String name : named.names()) {
            RequestLimits.Builder builder = answering(RequestLimits.builder());
            add(builder, name, List.of());
            waitWhereSaid(builder, List.of(name));
            limits.put(name, builder.build());
        }
        return limits;
    }

    /** Ends the checks of changes: limits that a child context shares with its parent outlive the child's rules. */
    @Override
    public void close() {
        endOfChecks.run();
    }
}
