package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.limit.Limit;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class NamedLimitsTest {

    private static final Map<String, String> PROPERTIES =
            Map.of("weir.limits.api.kind", "concurrency", "weir.limits.api.permits", "1");

    private final LimiterWatch nobody = new LimiterWatch() {};
    private final NamedLimits limits = new NamedLimits(
            () -> new Binder(new MapConfigurationPropertySource(PROPERTIES)).bindOrCreate("weir", WeirProperties.class),
            new LocalLimiters(nobody),
            nobody);

    @Test
    @DisplayName("a missing argument is named, and so is a limit that there is not")
    void missing() {
        Limit limit = Limit.concurrency(2);
        assertThatNullPointerException().isThrownBy(() -> limits.limiter(null)).withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> limits.partitioned(null))
                .withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> limits.definition(null))
                .withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> limits.change(null, limit))
                .withMessage("name");
        assertThatNullPointerException()
                .isThrownBy(() -> limits.change("api", null))
                .withMessage("limit");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limits.limiter("apj"))
                .withMessageContaining("'apj'")
                .withMessageContaining("[api]");
    }
}
