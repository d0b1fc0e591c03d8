package dev.weir.spring;

import dev.weir.webflux.RateLimitWebFilter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.util.StringUtils;
import org.springframework.web.util.pattern.PathPatternParser;

/** A rule whose settings are valid: its limits exist, each of them named once. */
final class HttpRule {

    private final int index;
    private final WeirProperties.Rule rule;
    private final List<String> names;
    private final @Nullable Set<String> methods;

    /**
     * Checks the settings of a rule. {@link #filter} checks its paths, and {@link #checkCost} its cost against limits, which may
     * change.
     *
     * @param index of the rule, by which errors name it
     */
    HttpRule(int index, WeirProperties.Rule rule, NamedLimits limits) {
        this.index = index;
        this.rule = rule;
        this.names = namesInOrder(limits);
        if (rule.cost() < 1) { // at no cost the rule would never limit anything
            throw wrong("cost", "must be at least 1, but is " + rule.cost());
        }
        this.methods = rule.methods() == null ? null : methods(rule.methods());
        checkWaits(names.stream().map(limits::definition).toList());
    }

    /**
     * Rejects a limit that would hold requests for as long as it takes, only because another one of the rule is waiting. One whose queue
     * has no room for any of them refuses at once.
     */
    private void checkWaits(List<LimitDefinition> limits) {
        Optional<LimitDefinition> waiting =
                limits.stream().filter(LimitDefinition::waiting).findFirst();
        Optional<LimitDefinition> endless = limits.stream()
                .filter(limit -> !limit.waiting() && limit.maxWait() == null && limit.queueLimit() >= rule.cost())
                .findFirst();
        if (waiting.isPresent() && endless.isPresent()) {
            throw endlessWait(endless.get(), waiting.get());
        }
    }

    private InvalidLimitException endlessWait(LimitDefinition limit, LimitDefinition waiting) {
        String setting = "weir.limits." + limit.name();
        return new InvalidLimitException(
                setting + ".max-wait",
                "must be set, as 'weir.http.rules[" + index + "]' has requests wait for all its limits because '"
                        + waiting.name() + "' is waiting, and so without a bound for this one",
                "Set it to the longest wait for that limit: to 0s if it is to refuse at once. Or name the limit in an earlier"
                        + " rule instead. If requests are to wait for it however long that takes, set '"
                        + setting + ".waiting' to true.");
    }

    private List<String> namesInOrder(NamedLimits limits) {
        Set<String> seen = new HashSet<>();
        checkNames("limits", rule.limits(), limits, seen);
        checkNames("protect", rule.protect(), limits, seen);
        if (seen.isEmpty()) {
            throw wrong("limits", "must name at least one limit");
        }
        for (String name : rule.protect()) {
            if (limits.definition(name).hasKey()) {
                throw wrong("protect", "must name limits without a key, but names '" + name + "'");
            }
        }
        return Stream.concat(rule.limits().stream(), rule.protect().stream())
                .sorted(Comparator.comparing(name -> limits.definition(name).backend()))
                .toList();
    }

    private void checkNames(String setting, List<String> given, NamedLimits limits, Set<String> seen) {
        List<String> unknown = new ArrayList<>(given);
        unknown.removeAll(limits.names());
        if (!unknown.isEmpty()) {
            throw wrong(setting, "must name limits, of " + limits.names() + ", but names " + unknown);
        }
        List<String> again = given.stream().filter(name -> !seen.add(name)).toList();
        if (!again.isEmpty()) {
            throw wrong(setting, "must name limits that the rule does not have already, but names " + again);
        }
    }

    private Set<String> methods(List<String> given) {
        if (given.isEmpty()) { // as from a variable without a value: such a rule is not meant for all methods
            throw wrong("methods", "must name at least one method, or be removed");
        }
        Set<String> methods = given.stream()
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

    /**
     * Returns the names of all its limits in the order in which they are asked. What protects the server comes after the others, so
     * that a request that one of those refuses takes no room, not even for a moment; and all that is kept in Redis comes after what
     * is kept here, so that Redis is not asked for a request that finds no room.
     */
    List<String> names() {
        return names;
    }

    /** Returns whether a limit of its own protects the server, rather than being a quota of clients. */
    boolean protectsBy(String name) {
        return rule.protect().contains(name);
    }

    List<String> paths() {
        return rule.paths();
    }

    /** Returns a builder of a filter that applies to the requests of the rule, and has no limits yet. */
    RateLimitWebFilter.Builder filter(PathPatternParser parser) {
        RateLimitWebFilter.Builder builder = RateLimitWebFilter.builder().cost(exchange -> rule.cost());
        try {
            builder.paths(parser, rule.paths().toArray(String[]::new));
        } catch (IllegalArgumentException unreadable) {
            throw wrong("paths", "is wrong: " + unreadable.getMessage());
        }
        if (methods != null) {
            builder.matching(exchange ->
                    methods.contains(exchange.getRequest().getMethod().name()));
        }
        return builder;
    }

    /** Checks that a limit of its own, as it is or is to be, can ever grant what a request costs. */
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
            throw largerThanQueue(limit);
        }
    }

    /** Blames the queue rather than a cost that cannot be less. */
    private InvalidLimitException largerThanQueue(LimitDefinition limit) {
        int cost = rule.cost();
        String queueLimit = "weir.limits." + limit.name() + ".queue-limit";
        String enlarge = "set '" + queueLimit + "' to at least " + cost + ".";
        return cost == 1
                ? new InvalidLimitException(
                        queueLimit,
                        "must be at least 1, as requests of 'weir.http.rules[" + index
                                + "]' wait there for the answer of Redis, but is " + limit.queueLimit(),
                        StringUtils.capitalize(enlarge))
                : new InvalidLimitException(
                        property("cost"),
                        "must be at most the queue-limit of '" + limit.name() + "', which is " + limit.queueLimit()
                                + ", as requests wait there for the answer of Redis, but is " + cost,
                        "Lower that cost, or " + enlarge);
    }

    private InvalidLimitException wrong(String setting, String problem) {
        return new InvalidLimitException(property(setting), problem);
    }

    private String property(String setting) {
        return "weir.http.rules[" + index + "]." + setting;
    }
}
