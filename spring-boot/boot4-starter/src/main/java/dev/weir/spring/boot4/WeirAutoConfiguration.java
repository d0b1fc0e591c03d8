package dev.weir.spring.boot4;

import dev.weir.spring.WeirConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Import;

/** Auto-configures limits on Spring Boot 4, after the auto-configurations that they use; see {@link WeirConfiguration}. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@Import(WeirConfiguration.class)
public class WeirAutoConfiguration {

    /** Called by Spring. */
    public WeirAutoConfiguration() {}
}
