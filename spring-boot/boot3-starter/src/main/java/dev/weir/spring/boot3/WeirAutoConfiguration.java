package dev.weir.spring.boot3;

import dev.weir.spring.WeirConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * Auto-configures limits on Spring Boot 3, after the auto-configurations that they use; see {@link WeirConfiguration}. Names those of
 * both generations: if the other starter is there, too, or alone, the one that comes first has the say.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.web.reactive.WebFluxAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.MetricsAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.export.simple.SimpleMetricsExportAutoConfiguration",
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
