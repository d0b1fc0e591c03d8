package dev.weir.spring;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.redis.RedisOptions;
import dev.weir.redis.WhenUnavailable;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class RedisLimitersTest {

    @Test
    @DisplayName("every property of the fleet reaches its options")
    void options() {
        assertThat(options(Map.of(
                        "weir.redis.key-prefix", "shop",
                        "weir.redis.deadline", "70ms",
                        "weir.redis.when-unavailable", "refuse",
                        "weir.redis.expected-nodes", "4",
                        "weir.redis.lease-time", "20s",
                        "weir.redis.keys-per-command", "1")))
                .hasToString(RedisOptions.defaults()
                        .keyPrefix("shop")
                        .deadline(ofMillis(70))
                        .whenUnavailable(WhenUnavailable.REFUSE)
                        .expectedNodes(4)
                        .leaseTime(ofSeconds(20))
                        .keysPerCommand(1)
                        .toString());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("all that a node may do without Redis can be said in a property")
    void whenUnavailable(WhenUnavailable what) {
        assertThat(options(Map.of("weir.redis.when-unavailable", what.name())))
                .hasToString(RedisOptions.defaults().whenUnavailable(what).toString());
    }

    @Test
    @DisplayName("without properties, the options are those of a fleet made by hand")
    void defaults() {
        assertThat(options(Map.of())).hasToString(RedisOptions.defaults().toString());
    }

    private static RedisOptions options(Map<String, String> properties) {
        return RedisLimiters.options(new Binder(new MapConfigurationPropertySource(properties))
                .bindOrCreate("weir", WeirProperties.class)
                .redis());
    }
}
