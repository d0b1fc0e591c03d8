package dev.weir.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class BothStartersTest {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("beside the starter of another generation, or with that alone, annotations hold and there are meters")
    void otherGeneration(boolean both) {
        Stream<String> absent = both ? Stream.empty() : RunningApplication.starters(true);
        assertThat(RunningApplication.starters(false)).containsExactly("dev.weir.spring.boot3.WeirAutoConfiguration");
        try (RunningApplication application = RunningApplication.start(
                Application.class,
                "spring.autoconfigure.exclude=" + RunningApplication.without(absent),
                "weir.limits.annotated.permits=1",
                "weir.limits.annotated.period=1h")) {
            assertThat(application.statuses(2, "/annotated", "1.1.1.1")).containsExactly(200, 429);
            assertThat(application
                            .bean(MeterRegistry.class)
                            .find("weir.limiter.available")
                            .gauges())
                    .hasSize(1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoints.class)
    static class Application {}
}
