package dev.weir.spring.boot3;

import dev.weir.spring.WeirConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Import;

/** Auto-configures limits on Spring Boot 3, after the auto-configurations that they use; see {@link WeirConfiguration}. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.web.reactive.WebFluxAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.MetricsAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@Import(WeirConfiguration.class)
public class WeirAutoConfiguration {

    /** Called by Spring. */
    public WeirAutoConfiguration() {}
}
