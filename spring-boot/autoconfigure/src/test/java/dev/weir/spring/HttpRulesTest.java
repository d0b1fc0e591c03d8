package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.webflux.RateLimitWebFilter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.web.util.pattern.PathPatternParser;

/** What rules are refused before there is an application; the limiters of limits in Redis are local ones here. */
class HttpRulesTest {

    private final Map<String, String> properties = new LinkedHashMap<>(Map.of(
            "weir.limits.api.permits", "5000",
            "weir.limits.api.period", "1h",
            "weir.http.rules[0].limits", "api"));

    @ParameterizedTest(name = "\"{0}\"")
    @ValueSource(strings = {",", "/api/**,", " , "})
    @DisplayName(
            "a rule with a path from a variable without a value is refused, as it would not apply to what was meant")
    void blankPaths(String paths) {
        properties.put("weir.http.rules[0].paths", paths);
        assertThatThrownBy(this::filters)
                .isInstanceOf(InvalidLimitException.class)
                .hasMessage("Property 'weir.http.rules[0].paths' is wrong: a pattern must not be blank");
    }

    @Test
    @DisplayName(
            "a rule costs no more than the queue of a limit in Redis holds, where each request waits for the answer")
    void costsBeyondTheQueue() {
        properties.put("weir.http.rules[0].cost", "1001");
        assertThat(filters()).as("of a limit here").hasSize(1);
        properties.put("weir.redis.enabled", "true");
        assertThatThrownBy(this::filters)
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'weir.http.rules[0].cost'")
                .hasMessageContaining("the queue-limit of 'api', which is 1000")
                .satisfies(wrong -> assertThat(((InvalidLimitException) wrong).remedy())
                        .isEqualTo("Lower that cost, or set 'weir.limits.api.queue-limit' to at least 1001."));
        properties.put("weir.limits.api.queue-limit", "1001");
        assertThat(filters()).hasSize(1);

        properties.remove("weir.http.rules[0].cost");
        properties.put("weir.limits.api.queue-limit", "0");
        assertThatThrownBy(this::filters)
                .as("of a cost that cannot be less")
                .isInstanceOf(InvalidLimitException.class)
                .hasMessage("Property 'weir.limits.api.queue-limit' must be at least 1, as requests of"
                        + " 'weir.http.rules[0]' wait there for the answer of Redis, but is 0")
                .satisfies(wrong -> assertThat(((InvalidLimitException) wrong).remedy())
                        .isEqualTo("Set 'weir.limits.api.queue-limit' to at least 1."));
        properties.put("weir.limits.api.backend", "local");
        assertThat(filters()).as("of a limit here").hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a rule that waits for one limit does not wait for another without a bound that nobody has asked for")
    void endlessWaits(boolean inRedis) {
        properties.putAll(Map.of(
                "weir.redis.enabled", "" + inRedis,
                "weir.limits.exports.kind", "concurrency",
                "weir.limits.exports.permits", "1",
                "weir.limits.exports.backend", "local",
                "weir.limits.exports.waiting", "true",
                "weir.http.rules[1].limits", "api,exports"));
        assertThatThrownBy(this::filters)
                .isInstanceOf(InvalidLimitException.class)
                .hasMessage(
                        "Property 'weir.limits.api.max-wait' must be set, as 'weir.http.rules[1]' has requests wait for"
                                + " all its limits because 'exports' is waiting, and so without a bound for this one")
                .satisfies(endless -> assertThat(((InvalidLimitException) endless).remedy())
                        .contains("to 0s", "earlier rule", "'weir.limits.api.waiting' to true"));

        properties.put("weir.http.rules[1].protect", "exports");
        properties.put("weir.http.rules[1].limits", "api");
        assertThatThrownBy(this::filters).as("whichever waits").hasMessageContaining("because 'exports'");

        for (String bound : List.of("api.max-wait=1s", "api.max-wait=0s", "api.waiting=true")) {
            String property = "weir.limits." + bound.substring(0, bound.indexOf('='));
            properties.put(property, bound.substring(bound.indexOf('=') + 1));
            assertThat(filters()).as(bound).hasSize(2);
            properties.remove(property);
        }
    }

    @Test
    @DisplayName("a rule may wait without a bound for what is waiting, and beside a limit whose queue holds no request")
    void waits() {
        properties.putAll(Map.of(
                "weir.limits.exports.kind", "concurrency",
                "weir.limits.exports.permits", "2",
                "weir.limits.exports.waiting", "true",
                "weir.limits.api.queue-limit", "1",
                "weir.http.rules[0].limits", "exports",
                "weir.http.rules[1].limits", "api,exports",
                "weir.http.rules[1].cost", "2"));
        assertThat(filters()).hasSize(2);
        properties.put("weir.limits.api.queue-limit", "2");
        assertThatThrownBy(this::filters).hasMessageContaining("'weir.limits.api.max-wait'");
    }

    @ParameterizedTest
    @CsvSource({
        "cost, 0",
        "cost, 5001",
        "methods, fetch",
        "paths, ','",
        "protect, per-user",
        "protect, api",
        "limits, per-usr"
    })
    @DisplayName("whatever is wrong with a rule is told when the rules are made, before anybody asks for their filters")
    void wrongFromTheStart(String setting, String value) {
        properties.putAll(Map.of(
                "weir.limits.per-user.permits", "5000",
                "weir.limits.per-user.period", "1h",
                "weir.limits.per-user.key", "principal",
                "weir.http.rules[1].limits", "api"));
        properties.put("weir.http.rules[1]." + setting, value);
        assertThatThrownBy(this::rules)
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'weir.http.rules[1]." + setting + "'");
    }

    @Test
    @DisplayName("a deadline of Redis that is out of range is of no concern while no limit is kept there")
    void deadlineOfNobody() {
        properties.put("weir.redis.deadline", Long.MAX_VALUE + "s");
        assertThat(filters()).hasSize(1);
    }

    private List<RateLimitWebFilter> filters() {
        return rules().filters(RulePlace.EARLY);
    }

    private HttpRules rules() {
        WeirProperties bound =
                new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("weir", WeirProperties.class);
        LimiterWatch nobody = new LimiterWatch() {};
        NamedLimits named = new NamedLimits(() -> bound, new LocalLimiters(nobody), nobody);
        return new HttpRules(named, bound, Map.of(), PathPatternParser.defaultInstance, null);
    }
}
