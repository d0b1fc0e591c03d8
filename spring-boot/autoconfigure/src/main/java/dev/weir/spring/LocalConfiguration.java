package dev.weir.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Limits kept in this JVM, if no other factory is configured. Imported last. */
@Configuration(proxyBeanMethods = false)
class LocalConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LimiterFactory weirLimiterFactory(Environment environment, ObjectProvider<LimiterWatch> watch) {
        if (PropertyReader.read(environment).redis().enabled()) {
            throw new InvalidLimitException(
                    "weir.redis.enabled",
                    "needs weir-redis and Lettuce on the class path, but they are not both there",
                    "Add the dependencies dev.weir:weir-redis and, with spring-boot-starter-data-redis or by itself,"
                            + " io.lettuce:lettuce-core; or switch 'weir.redis.enabled' off.");
        }
        return new LocalLimiters(Unwatched.unless(watch));
    }
}
