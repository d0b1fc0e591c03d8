package dev.weir.spring;

import dev.weir.webflux.RateLimitedHandlerAdapter;
import dev.weir.webflux.RefusalWriter;
import dev.weir.webflux.RequestKey;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The beans of both starters; their auto-configurations only determine the order. A {@link LimiterFactory}, {@link LimiterWatch} or
 * {@link RateLimitedHandlerAdapter} bean of the application replaces the one here. A context whose parent has the limits shares them: a
 * second set would grant everything again.
 *
 * <p>The factories and {@link NamedLimits} have {@link PropertyReader} read the environment, although there is a bean of
 * {@link WeirProperties}: of a rule that has only unknown names Spring Boot makes a failure of its own when it makes that bean, so the
 * reader, which says what could stand there instead, has to come first.
 *
 * <p>Member classes come before what is imported, and of that the factory of Redis before the one that stands in for it.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(Switch.Limits.class)
@EnableConfigurationProperties(WeirProperties.class)
@ImportRuntimeHints(WeirRuntimeHints.class)
@Import({RedisConfiguration.class, LocalConfiguration.class})
public class WeirConfiguration {

    /** Called by Spring. */
    public WeirConfiguration() {}

    /** Metrics, if there is a meter registry, and it is the only or the primary one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = {"io.micrometer.core.instrument.MeterRegistry", "dev.weir.micrometer.WeirMetrics"})
    @ConditionalOnSingleCandidate(type = "io.micrometer.core.instrument.MeterRegistry")
    static class Meters {

        @Bean
        @ConditionalOnMissingBean(LimiterWatch.class)
        LimiterWatch weirLimiterWatch(MeterRegistry registry) {
            return new MeteredLimiters(registry);
        }
    }

    /** The limits by name. */
    @Configuration(proxyBeanMethods = false)
    static class Limits {

        @Bean
        @ConditionalOnMissingBean
        NamedLimits weirNamedLimits(
                Environment environment, LimiterFactory factory, ObjectProvider<LimiterWatch> watch) {
            return new NamedLimits(() -> PropertyReader.read(environment), factory, Unwatched.unless(watch));
        }
    }

    /** Limits of incoming requests. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @Conditional(Switch.Http.class)
    static class Http {

        /** Matches paths as the mapping of WebFlux does, by name: an actuator may have more of that type. */
        @Bean
        HttpRules weirHttpRules(
                NamedLimits named,
                WeirProperties properties,
                Map<String, RequestKey> keys,
                ObjectProvider<RefusalWriter> writer,
                @Qualifier("requestMappingHandlerMapping") ObjectProvider<RequestMappingHandlerMapping> mapping) {
            RequestMappingHandlerMapping ofHandlers = mapping.getIfAvailable();
            return new HttpRules(
                    named,
                    properties,
                    keys,
                    ofHandlers == null ? PathPatternParser.defaultInstance : ofHandlers.getPathPatternParser(),
                    writer.getIfAvailable());
        }

        @Bean
        RuleFilter weirEarlyRules(HttpRules rules, ApplicationContext application) {
            return new RuleFilter(rules, RulePlace.EARLY, application);
        }

        @Bean
        RuleFilter weirLateRules(HttpRules rules, ApplicationContext application) {
            return new RuleFilter(rules, RulePlace.LATE, application);
        }

        /** Limits of annotated handler methods, if there is anything that calls such methods. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnBean(RequestMappingHandlerAdapter.class)
        static class Annotations {

            /** Takes the adapter of WebFlux, by the name of the parameter, if there are several. */
            @Bean
            @ConditionalOnMissingBean
            RateLimitedHandlerAdapter weirRateLimitedHandlerAdapter(
                    HttpRules rules, RequestMappingHandlerAdapter requestMappingHandlerAdapter) {
                return RateLimitedHandlerAdapter.before(requestMappingHandlerAdapter, rules.byName());
            }

            /** Checks at start-up that each annotation names an existing limit. */
            @Bean
            SmartInitializingSingleton weirAnnotationCheck(
                    RateLimitedHandlerAdapter adapter, ObjectProvider<RequestMappingHandlerMapping> mappings) {
                return () -> mappings.forEach(
                        mapping -> mapping.getHandlerMethods().values().forEach(method -> check(adapter, method)));
            }

            private static void check(RateLimitedHandlerAdapter adapter, HandlerMethod method) {
                try {
                    adapter.check(method);
                } catch (IllegalArgumentException unknown) {
                    throw new InvalidLimitException(
                            "weir.limits",
                            "lacks a limit: " + unknown.getMessage(),
                            "Define that limit, as 'weir.limits.<name>', or correct the name in the annotation.");
                }
            }
        }
    }

    /** Refuses rules where nothing would apply them: a start that says nothing would leave requests without limits. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @Conditional(Switch.Http.class)
    static class Servlets {

        Servlets(WeirProperties properties) {
            if (!properties.http().rules().isEmpty()) {
                throw new InvalidLimitException(
                        "weir.http.rules",
                        "would have no effect: rules are for WebFlux, and this application runs on servlets, as with Spring MVC",
                        "If it is meant to run on WebFlux, remove Spring MVC from the class path, or set "
                                + "'spring.main.web-application-type' to reactive. Otherwise limit requests by a filter of your "
                                + "own, as docs/recipes.md#spring-mvc shows, with the limits of 'NamedLimits', and remove the "
                                + "rules, or set 'weir.http.enabled' to false.");
            }
        }
    }

    /** The actuator endpoint, if the actuator is on the class path. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.actuate.endpoint.annotation.Endpoint")
    static class Actuator {

        @Bean
        @ConditionalOnMissingBean
        WeirEndpoint weirEndpoint(NamedLimits named) {
            return new WeirEndpoint(named);
        }
    }
}
