package dev.weir.spring;

import dev.weir.webflux.RateLimitWebFilter;
import dev.weir.webflux.RequestKey;
import dev.weir.webflux.RequestLimits;
import dev.weir.webflux.RequestLimitsBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.pattern.PathPatternParser;

/** Creates the filters of the rules, and the limits that annotations can name. */
final class HttpRules {

    private final NamedLimits named;
    private final WeirProperties.Http http;
    private final RequestKeys keys;
    private final PathPatternParser paths;

    /**
     * How long requests that are not meant to wait may wait for Redis where there are several limits: longer than its deadline, so
     * that its answer can arrive. One limit alone waits for the answer by itself.
     */
    private final Duration patience;

    /** Creates the rules, whose paths are matched as {@code paths} says: as those of the application's handlers are. */
    HttpRules(NamedLimits named, WeirProperties properties, Map<String, RequestKey> keys, PathPatternParser paths) {
        this.named = named;
        this.http = properties.http();
        this.patience = properties.redis().deadline().multipliedBy(2);
        this.keys = new RequestKeys(http, keys, paths);
        this.paths = paths;
        named.names().forEach(this::checkKey);
        named.checkChanges(this::checkCosts);
    }

    private void checkKey(String name) {
        String key = named.definition(name).key();
        if (key != null) {
            keys.find(name, key, List.of());
        }
    }

    /** Returns the filters of the rules that work before authentication ({@code early}), or of all others. */
    List<RateLimitWebFilter> filters(boolean early) {
        return IntStream.range(0, http.rules().size())
                .filter(rule -> isEarly(rule) == early)
                .mapToObj(this::filter)
                .toList();
    }

    private boolean isEarly(int index) {
        return namesOf(index)
                .map(name -> named.definition(name).key())
                .allMatch(key -> key == null || RequestKeys.isKnownEarly(key));
    }

    private Stream<String> namesOf(int index) {
        WeirProperties.Rule rule = http.rules().get(index);
        Set<String> seen = new HashSet<>();
        check(index, "limits", rule.limits(), seen);
        check(index, "protect", rule.protect(), seen);
        if (rule.limits().isEmpty() && rule.protect().isEmpty()) {
            throw wrong(index, "limits", "must name at least one limit");
        }
        return Stream.concat(rule.limits().stream(), rule.protect().stream());
    }

    private void check(int index, String setting, List<String> names, Set<String> seen) {
        List<String> unknown = new ArrayList<>(names);
        unknown.removeAll(named.names());
        if (!unknown.isEmpty()) {
            throw wrong(index, setting, "must name limits, of " + named.names() + ", but names " + unknown);
        }
        List<String> again = names.stream().filter(name -> !seen.add(name)).toList();
        if (!again.isEmpty()) {
            throw wrong(index, setting, "must name limits that the rule does not have already, but names " + again);
        }
    }

    private RateLimitWebFilter filter(int index) {
        WeirProperties.Rule rule = http.rules().get(index);
        if (rule.cost() < 1) { // at no cost the rule would never limit anything
            throw wrong(index, "cost", "must be at least 1, but is " + rule.cost());
        }
        namesOf(index).map(named::definition).forEach(limit -> checkCost(index, limit));
        RateLimitWebFilter.Builder builder =
                RateLimitWebFilter.builder().headers(http.headers()).cost(exchange -> rule.cost());
        try {
            builder.paths(paths, rule.paths().toArray(String[]::new));
        } catch (IllegalArgumentException unreadable) {
            throw wrong(index, "paths", "is wrong: " + unreadable.getMessage());
        }
        if (!rule.methods().isEmpty()) {
            Set<String> methods = methodsOf(index);
            builder.matching(exchange ->
                    methods.contains(exchange.getRequest().getMethod().name()));
        }
        rule.protect().forEach(name -> protect(index, builder, name));
        rule.limits().forEach(name -> add(builder, name, rule.paths()));
        waitWhereSaid(builder, namesOf(index).toList());
        return builder.build();
    }

    /** Checks that a limit, changed or not, can grant the costs of all rules that name it. */
    private void checkCosts(LimitDefinition limit) {
        IntStream.range(0, http.rules().size())
                .filter(rule -> namesOf(rule).anyMatch(limit.name()::equals))
                .forEach(rule -> checkCost(rule, limit));
    }

    private void checkCost(int index, LimitDefinition limit) {
        int cost = http.rules().get(index).cost();
        if (limit.limit().capacity() < cost) {
            throw wrong(
                    index,
                    "cost",
                    "must be at most " + limit.limit().capacity() + ", as '" + limit.name()
                            + "' never grants more at once, but is " + cost);
        }
        if (limit.overflow() != null && limit.overflow().capacity() < cost) {
            throw wrong(
                    index,
                    "cost",
                    "must be at most the overflow-permits of '" + limit.name() + "', which are "
                            + limit.overflow().capacity() + ", but is " + cost);
        }
    }

    private Set<String> methodsOf(int index) {
        Set<String> methods = http.rules().get(index).methods().stream()
                .map(method -> method.toUpperCase(Locale.ROOT))
                .collect(Collectors.toCollection(TreeSet::new));
        if (methods.contains(HttpMethod.GET.name())) {
            methods.add(HttpMethod.HEAD.name()); // Spring maps HEAD to the handler methods for GET
        }
        List<String> known =
                Stream.of(HttpMethod.values()).map(HttpMethod::name).toList();
        if (!known.containsAll(methods)) {
            methods.removeAll(known);
            throw wrong(index, "methods", "must name methods of HTTP, of " + known + ", but names " + methods);
        }
        return methods;
    }

    private void protect(int index, RateLimitWebFilter.Builder builder, String name) {
        if (named.definition(name).key() != null) {
            throw wrong(index, "protect", "must name limits without a key, but names '" + name + "'");
        }
        builder.protect(named.limiter(name));
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

    private void waitWhereSaid(RequestLimitsBuilder<?> builder, List<String> names) {
        List<LimitDefinition> limits = names.stream().map(named::definition).toList();
        if (limits.stream().anyMatch(LimitDefinition::waiting)) {
            builder.waiting();
        } else if (limits.size() > 1 && limits.stream().anyMatch(limit -> limit.backend() == LimitBackend.REDIS)) {
            builder.waiting(patience);
        }
    }

    /** Returns the limits that annotations can name: each limit by itself. */
    Map<String, RequestLimits> byName() {
        Map<String, RequestLimits> limits = new LinkedHashMap<>();
        for (String name : named.names()) {
            RequestLimits.Builder builder = RequestLimits.builder().headers(http.headers());
            add(builder, name, List.of());
            waitWhereSaid(builder, List.of(name));
            limits.put(name, builder.build());
        }
        return limits;
    }

    private static InvalidLimitException wrong(int index, String setting, String problem) {
        return new InvalidLimitException("weir.http.rules[" + index + "]." + setting, problem);
    }
}
