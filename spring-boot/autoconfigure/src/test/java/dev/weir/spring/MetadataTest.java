package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.webflux.RateLimited;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.ClassPathResource;

class MetadataTest {

    @Test
    @DisplayName("editors know the properties, and what they are for")
    void metadata() throws IOException {
        String metadata = new ClassPathResource("META-INF/spring-configuration-metadata.json")
                .getContentAsString(StandardCharsets.UTF_8);
        assertThat(metadata)
                .contains(
                        "\"weir.enabled\"", "\"weir.limits\"", "\"weir.http.headers\"", "\"weir.http.trusted-proxies\"")
                .contains(
                        "\"weir.redis.enabled\"", "\"weir.redis.when-unavailable\"", "Whether limits are kept in Redis")
                .contains("\"weir.http.rules\"", "\"weir.http.ipv6-prefix\"")
                .contains("Which requests are held against which limits");
    }

    @Test
    @DisplayName("a native image keeps what is read by reflection")
    void hints() throws NoSuchMethodException {
        RuntimeHints hints = new RuntimeHints();
        new WeirRuntimeHints().registerHints(hints, getClass().getClassLoader());
        assertThat(RuntimeHintsPredicates.reflection().onType(WeirEndpoint.Entry.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethod(WeirEndpoint.Entry.class.getMethod("refused"))
                        .invoke())
                .as("what the report is written from")
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethod(RateLimited.class.getMethod("value"))
                        .invoke())
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("dev/weir/redis/bucket.lua"))
                .accepts(hints);
    }
}
