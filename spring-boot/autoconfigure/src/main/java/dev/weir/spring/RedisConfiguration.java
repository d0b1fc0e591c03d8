package dev.weir.spring;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Limits shared through Redis, if enabled by properties and if weir-redis and Lettuce are on the class path. */
@Configuration(proxyBeanMethods = false)
@Conditional(Switch.Redis.class)
@ConditionalOnClass(name = {"dev.weir.redis.RedisRateLimiters", "io.lettuce.core.AbstractRedisClient"})
class RedisConfiguration {

    @Bean
    @ConditionalOnMissingBean(LimiterFactory.class)
    RedisLimiters weirRedisLimiters(
            Environment environment, ListableBeanFactory beans, ObjectProvider<LimiterWatch> watch) {
        return new RedisLimiters(PropertyReader.read(environment), new RedisClients(beans), Unwatched.unless(watch));
    }

    @Bean
    @ConditionalOnBean(RedisLimiters.class)
    ClosedBeforeClient weirClosedBeforeClient(RedisLimiters limiters, ConfigurableApplicationContext context) {
        return new ClosedBeforeClient(limiters, context);
    }
}
