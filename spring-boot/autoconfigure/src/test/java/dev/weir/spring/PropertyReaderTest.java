package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class PropertyReaderTest {

    private static final String SYSTEM_ENVIRONMENT = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
    private static final String[] LIMIT = {"weir.limits.api.permits=5", "weir.limits.api.period=1s"};

    private final StandardEnvironment environment = new StandardEnvironment();

    PropertyReaderTest() {
        environment
                .getPropertySources()
                .forEach(source -> environment.getPropertySources().remove(source.getName()));
        ConfigurationPropertySources.attach(environment);
        add("file", LIMIT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "weir.limits.api.premits | after 'weir.limits.api' there may be [backend, base, capacity, key, kind",
                "weir.limits.other.premits | after 'weir.limits.other' there may be [backend, base,",
                "weir.limits.api.key.name | after 'weir.limits.api.key' there may be []",
                "weir.http.rules[0].limits[0].name | after 'weir.http.rules[0].limits[0]' there may be []",
                "weir.limitz.api.permits | after 'weir' there may be [enabled, http, limits, redis]",
                "weir.http.rule[0].paths | after 'weir.http' there may be [enabled, headers, ipv6-prefix, rules,",
                "weir.http.rules[0].path | after 'weir.http.rules[0]' there may be [cost, limits, methods, paths, protect]"
            })
    @DisplayName("a property that nobody reads is named, with what is read instead")
    void unknown(String property, String instead) {
        add("more", property + "=1", "weir.http.rules[0].limits=api");
        assertThatThrownBy(this::read)
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'" + property + "'")
                .hasMessageContaining(instead);
    }

    @ParameterizedTest
    @ValueSource(strings = {"weir.http.rules[1].limit", "weir.http.rules[1].limit[0]"})
    @DisplayName("so is one that is all a rule has, which Spring Boot itself would only call unbound")
    void allOfARule(String property) {
        add("more", "weir.http.rules[0].limits=api", property + "=api");
        assertThatThrownBy(this::read)
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'" + property + "'")
                .hasMessageContaining("there may be [cost, limits, methods, paths, protect]");
    }

    @ParameterizedTest
    @CsvSource({
        "weir.http.rules[1].limits=api, weir.http.rules[1].limits",
        "weir.http.rules[1].limits[0]=api, weir.http.rules[1].limits[0]",
        "weir.http.trusted-proxies[1]=::1, weir.http.trusted-proxies[1]"
    })
    @DisplayName("an element of a list that comes after a gap is named, with where the indices begin")
    void afterAGap(String added, String property) {
        add("more", added);
        assertThatThrownBy(this::read)
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'" + property + "'")
                .hasMessageContaining("begin at 0");
    }

    @Test
    @DisplayName("so is one after others")
    void afterAGapBetween() {
        add("more", "weir.http.rules[0].limits=api", "weir.http.rules[2].limits=api");
        assertThatThrownBy(this::read)
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'weir.http.rules[2].limits'")
                .hasMessageContaining("leave none out");
    }

    @Test
    @DisplayName("after an element that is a value, no name is offered")
    void afterAValue() {
        add("more", "weir.http.rules[0].limits[0]=api", "weir.http.rules[0].limits[1].name=x");
        assertThatThrownBy(this::read)
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'weir.http.rules[0].limits[1].name'")
                .hasMessageContaining("there may be []");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "weir.limits.api.maxWait=1s",
                "weir.limits.api.max_wait=1s",
                "weir.limits.api.max-wait=",
                "weir.limits.api.without-key=",
                "weir.limits.api.key=",
                "weir.limits[a.b].permits=1",
                "weir.limits.1.permits=1",
                "weir.http.rules=",
                "weir.http.rules[0].paths=/a,/b",
                "weir.http.rules[0].paths[0]=/a",
                "weir.http.trusted-proxies[0]=10.0.0.0/8",
                "weir.enabled=true",
                "weir.redis.dead-line=1s",
                "weird.limits=1",
                "other.weir.limitz=1"
            })
    @DisplayName("however a known property is written, and if it has no value, it is known")
    void known(String property) {
        add("more", property);
        assertThatCode(this::read).doesNotThrowAnyException();
    }

    @Test
    @DisplayName("a property that a list hides in another source is known as well")
    void hiddenByAList() {
        add(
                "hidden",
                "weir.http.rules[0].limits=api",
                "weir.http.rules[1].cost=2",
                "weir.http.rules[1].methods[0]=GET");
        add("hiding", "weir.http.rules[0].limits=api");
        assertThat(read().http().rules()).hasSize(1);
    }

    @Test
    @DisplayName("a variable of the environment or a system property is ignored")
    void notOurs() {
        addEnvironment(SYSTEM_ENVIRONMENT, "WEIR_SERVICE_HOST", "WEIR_LIMITS_API_PERMITS");
        add(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME, "weir.seed=1");
        assertThat(read().limits().get("api").permits()).isEqualTo(9);
    }

    @ParameterizedTest
    @CsvSource({"Api, api", "API, api", "a-pi, api", "a_pi, api"})
    @DisplayName(
            "two names of limits that Spring Boot cannot tell apart are refused, in one source or two; but not its own way"
                    + " to read variables of the environment")
    void sameNames(String other, String known) {
        add("other", "weir.limits." + other + ".permits=7");
        assertThatThrownBy(this::read)
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'weir.limits." + known + "'")
                .hasMessageContaining("must not differ from '" + other + "'");

        environment.getPropertySources().remove("file");
        add("other", "weir.limits." + other + ".permits=7", LIMIT[0]);
        assertThatThrownBy(this::read).isInstanceOf(InvalidLimitException.class);

        add("other", "weir.limits." + other + ".permits=7");
        addEnvironment(SYSTEM_ENVIRONMENT, "WEIR_LIMITS_API_PERMITS");
        assertThatCode(this::read).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {SYSTEM_ENVIRONMENT, "test-systemEnvironment"})
    @DisplayName("a variable of the environment is one under whatever name its source goes, as in a test")
    void environmentOfATest(String source) {
        add("file", "weir.limits.per-user.permits=5", "weir.limits.per-user.period=1s");
        addEnvironment(source, "WEIR_LIMITS_PERUSER_PERMITS", "WEIR_SERVICE_HOST");
        assertThat(read().limits().get("per-user").permits()).isEqualTo(9);
    }

    private WeirProperties read() {
        return PropertyReader.read(environment);
    }

    /** Adds a source that goes before those that are there. */
    private void add(String name, String... properties) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (String property : properties) {
            int equals = property.indexOf('=');
            values.put(property.substring(0, equals), property.substring(equals + 1));
        }
        environment.getPropertySources().addFirst(new MapPropertySource(name, values));
    }

    private void addEnvironment(String name, String... variables) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (String variable : variables) {
            values.put(variable, "9");
        }
        environment.getPropertySources().addFirst(new SystemEnvironmentPropertySource(name, values));
    }
}
