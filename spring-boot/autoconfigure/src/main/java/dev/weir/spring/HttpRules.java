package dev.weir.spring;

import dev.weir.webflux.RateLimitWebFilter;
import dev.weir.webflux.RequestKey;
import dev.weir.webflux.RequestLimits;
import dev.weir.webflux.RequestLimitsBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
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
    private final List<OneRule> rules;
    private final Duration deadline;

    /** Creates the rules, whose paths are matched as {@code paths} says: as those of the application's handlers are. */
    HttpRules(NamedLimits named, WeirProperties properties, Map<String, RequestKey> keys, PathPatternParser paths) {
        this.named = named;
        this.http = properties.http();
        this.deadline = properties.redis().deadline();
        this.keys = new RequestKeys(http, keys, paths);
        this.paths = paths;
        named.names().forEach(this::checkKey);
        this.rules =
                IntStream.range(0, http.rules().size()).mapToObj(OneRule::new).toList();
        named.checkChanges(this::checkCosts);
    }

    private void checkKey(String name) {
        String key = named.definition(name).key();
        if (key != null) {
            keys.find(name, key, List.of());
        }
    }

    /** Returns the filters of the rules that work in a phase. */
    List<RateLimitWebFilter> filters(Phase phase) {
        return rules.stream()
                .filter(rule -> rule.phase() == phase)
                .map(OneRule::filter)
                .toList();
    }

    /** Checks that a limit, changed or not, can grant the costs of all rules that name it. */
    private void checkCosts(LimitDefinition limit) {
        rules.stream().filter(rule -> rule.names.contains(limit.name())).forEach(rule -> rule.checkCost(limit));
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
            RequestLimits.Builder builder = RequestLimits.builder().headers(http.headers());
            add(builder, name, List.of());
            waitWhereSaid(builder, List.of(name));
            limits.put(name, builder.build());
        }
        return limits;
    }

    /** A rule whose limits exist, each of them named once. */
    private final class OneRule {

        private final int index;
        private final WeirProperties.Rule rule;

        /**
         * The names of all its limits in the order in which they are asked. What protects the server comes after the others, so that
         * a request that one of those refuses takes no room, not even for a moment; and all that is kept in Redis comes after what is
         * kept here, so that Redis is not asked for a request that finds no room.
         */
        private final List<String> names;

        OneRule(int index) {
            this.index = index;
            this.rule = http.rules().get(index);
            Set<String> seen = new HashSet<>();
            check("limits", rule.limits(), seen);
            check("protect", rule.protect(), seen);
            this.names = Stream.concat(rule.limits().stream(), rule.protect().stream())
                    .sorted(Comparator.comparing(name -> named.definition(name).backend()))
                    .toList();
            if (names.isEmpty()) {
                throw wrong("limits", "must name at least one limit");
            }
        }

        private void check(String setting, List<String> limits, Set<String> seen) {
            List<String> unknown = new ArrayList<>(limits);
            unknown.removeAll(named.names());
            if (!unknown.isEmpty()) {
                throw wrong(setting, "must name limits, of " + named.names() + ", but names " + unknown);
            }
            List<String> again = limits.stream().filter(name -> !seen.add(name)).toList();
            if (!again.isEmpty()) {
                throw wrong(setting, "must name limits that the rule does not have already, but names " + again);
            }
        }

        /** Works early if all its keys are known then. */
        Phase phase() {
            boolean isEarly = names.stream()
                    .map(name -> named.definition(name).key())
                    .allMatch(key -> key == null || RequestKeys.isKnownEarly(key));
            return isEarly ? Phase.EARLY : Phase.LATE;
        }

        RateLimitWebFilter filter() {
            if (rule.cost() < 1) { // at no cost the rule would never limit anything
                throw wrong("cost", "must be at least 1, but is " + rule.cost());
            }
            names.stream().map(named::definition).forEach(this::checkCost);
            RateLimitWebFilter.Builder builder =
                    RateLimitWebFilter.builder().headers(http.headers()).cost(exchange -> rule.cost());
            try {
                builder.paths(paths, rule.paths().toArray(String[]::new));
            } catch (IllegalArgumentException unreadable) {
                throw wrong("paths", "is wrong: " + unreadable.getMessage());
            }
            if (rule.methods() != null) {
                Set<String> methods = methods(rule.methods());
                builder.matching(exchange ->
                        methods.contains(exchange.getRequest().getMethod().name()));
            }
            names.forEach(name -> addTo(builder, name));
            waitWhereSaid(builder, names);
            return builder.build();
        }

        private void addTo(RateLimitWebFilter.Builder builder, String name) {
            if (rule.protect().contains(name)) {
                protect(builder, name);
            } else {
                add(builder, name, rule.paths());
            }
        }

        void checkCost(LimitDefinition limit) {
            int cost = rule.cost();
            if (limit.limit().capacity() < cost) {
                throw wrong(
                        "cost",
                        "must be at most " + limit.limit().capacity() + ", as '" + limit.name()
                                + "' never grants more at once, but is " + cost);
            }
            if (limit.overflow() != null && limit.overflow().capacity() < cost) {
                throw wrong(
                        "cost",
                        "must be at most the overflow-permits of '" + limit.name() + "', which are "
                                + limit.overflow().capacity() + ", but is " + cost);
            }
            if (limit.backend() == LimitBackend.REDIS && limit.queueLimit() < cost) {
                throw new InvalidLimitException(
                        property("cost"),
                        "must be at most the queue-limit of '" + limit.name() + "', which is " + limit.queueLimit()
                                + ", as requests wait there for the answer of Redis, but is " + cost,
                        "Lower that cost, or set 'weir.limits." + limit.name() + ".queue-limit' to at least " + cost
                                + ".");
            }
        }

        private Set<String> methods(List<String> named) {
            if (named.isEmpty()) { // as from a variable without a value: such a rule is not meant for all methods
                throw wrong("methods", "must name at least one method, or be removed");
            }
            Set<String> methods = named.stream()
                    .map(method -> method.toUpperCase(Locale.ROOT))
                    .collect(Collectors.toCollection(TreeSet::new));
            if (methods.contains(HttpMethod.GET.name())) {
                methods.add(HttpMethod.HEAD.name()); // Spring maps HEAD to the handler methods for GET
            }
            List<String> known =
                    Stream.of(HttpMethod.values()).map(HttpMethod::name).toList();
            if (!known.containsAll(methods)) {
                methods.removeAll(known);
                throw wrong("methods", "must name methods of HTTP, of " + known + ", but names " + methods);
            }
            return methods;
        }

        private void protect(RateLimitWebFilter.Builder builder, String name) {
            if (named.definition(name).hasKey()) {
                throw wrong("protect", "must name limits without a key, but names '" + name + "'");
            }
            builder.protect(named.limiter(name));
        }

        private InvalidLimitException wrong(String setting, String problem) {
            return new InvalidLimitException(property(setting), problem);
        }

        private String property(String setting) {
            return "weir.http.rules[" + index + "]." + setting;
        }
    }
}
