package dev.weir.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spring.InvalidLimitException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.util.ClassUtils;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;

/** An application on whichever Spring Boot is there, up and asked by clients. */
final class RunningApplication implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    private RunningApplication(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /**
     * Starts one from its configuration and what is configured automatically, but for Spring Security and the starter of the other
     * generation, which may be there for {@code BothStartersTest}.
     */
    static RunningApplication start(Class<?> application, String... properties) {
        Map<String, Object> all = new LinkedHashMap<>(Map.of(
                "server.port", "0",
                "server.address", "127.0.0.1",
                "spring.main.banner-mode", "off",
                "logging.level.root", "off",
                "management.endpoints.web.exposure.include", "weir",
                "spring.autoconfigure.exclude", without(starters(false))));
        for (String property : properties) {
            int equals = property.indexOf('=');
            all.put(property.substring(0, equals), property.substring(equals + 1));
        }
        return new RunningApplication(new SpringApplicationBuilder(application)
                .web(WebApplicationType.REACTIVE)
                .properties(all)
                .initializers(context -> context.getBeanFactory().addBeanPostProcessor(new AtOnce()))
                .run());
    }

    /** Has event loops end when they are told to: by default they wait two seconds for somebody to come back. */
    private static final class AtOnce implements BeanPostProcessor {

        @Override
        public Object postProcessBeforeInitialization(Object bean, String name) {
            if (bean instanceof ReactorResourceFactory eventLoops) {
                eventLoops.setShutdownQuietPeriod(Duration.ZERO);
            }
            return bean;
        }
    }

    /** Settings, of which later ones hold. */
    static String[] with(String[] properties, String... more) {
        return Stream.of(properties, more).flatMap(Stream::of).toArray(String[]::new);
    }

    /** The setting by which Spring Security is not configured automatically, nor what is named. */
    static String without(Stream<String> others) {
        return Stream.concat(autoConfigurations(".security."), others).collect(Collectors.joining(","));
    }

    /** The auto-configurations of starters: that of the generation that runs, or others that are there. */
    static Stream<String> starters(boolean ofThisGeneration) {
        String generation = ".boot" + SpringBootVersion.getVersion().charAt(0) + ".";
        return autoConfigurations("dev.weir.").filter(name -> name.contains(generation) == ofThisGeneration);
    }

    /** The names of auto-configurations, which are not the same on every Spring Boot. */
    static Stream<String> autoConfigurations(String part) {
        List<String> names = new ArrayList<>();
        ImportCandidates.load(AutoConfiguration.class, RunningApplication.class.getClassLoader())
                .forEach(names::add);
        return names.stream().filter(name -> name.contains(part));
    }

    /** Runs what concerns limits alone, without a server. */
    static ReactiveWebApplicationContextRunner runner(String... properties) {
        return runner(Stream.concat(autoConfigurations(".WebFluxAutoConfiguration"), starters(true)), properties);
    }

    /** The same where nothing else is configured automatically, and so nothing calls handler methods. */
    static ReactiveWebApplicationContextRunner runnerWithoutWebFlux(String... properties) {
        return runner(starters(true), properties);
    }

    /** The same in an application on servlets. */
    static WebApplicationContextRunner servletRunner(String... properties) {
        return new WebApplicationContextRunner()
                .withConfiguration(configurations(starters(true)))
                .withPropertyValues(properties);
    }

    private static ReactiveWebApplicationContextRunner runner(Stream<String> names, String... properties) {
        return new ReactiveWebApplicationContextRunner()
                .withConfiguration(configurations(names))
                .withPropertyValues(properties);
    }

    private static AutoConfigurations configurations(Stream<String> names) {
        return AutoConfigurations.of(
                names.map(name -> ClassUtils.resolveClassName(name, RunningApplication.class.getClassLoader()))
                        .toArray(Class<?>[]::new));
    }

    /** Tells whether an application that cannot start names the property that is to blame. */
    static void checkFailure(AbstractApplicationContextRunner<?, ?, ?> runner, String property) {
        runner.run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'" + property + "'"));
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    boolean hasBean(Class<?> type) {
        return context.getBeanNamesForType(type).length > 0;
    }

    /** The permits that meters have counted of a limit, whoever decided. */
    double permits(String limiter) {
        return bean(MeterRegistry.class).get("weir.limiter.permits").tags("limiter", limiter).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    /** Lets the environment say something else from now on. */
    void change(Map<String, Object> properties) {
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("changed", properties));
    }

    /** Asks the actuator on a port of its own. */
    int managementStatus(String path) {
        return ask("local.management.port", HttpMethod.GET, path, headers -> {})
                .statusCode()
                .value();
    }

    int status(String path) {
        return get(path, headers -> {}).statusCode().value();
    }

    /** Asks behind a proxy, for a client with some address. */
    int status(String path, String client) {
        return get(path, headers -> headers.set("X-Forwarded-For", "6.6.6.6, " + client))
                .statusCode()
                .value();
    }

    List<Integer> statuses(int count, String path, String client) {
        return Stream.generate(() -> status(path, client)).limit(count).toList();
    }

    int head(String path) {
        return ask(HttpMethod.HEAD, path, headers -> {}).statusCode().value();
    }

    String body(String path) {
        return get(path, headers -> {}).bodyToMono(String.class).block();
    }

    /**
     * Asks on a connection of its own. On one that is kept, Reactor Netty 1.2.18 may stop to read: where an answer that waited was on
     * its way back when the next request came, and that is answered at once (reactor-netty#4361).
     */
    ClientResponse get(String path, Consumer<HttpHeaders> headers) {
        return ask(HttpMethod.GET, path, headers);
    }

    private ClientResponse ask(HttpMethod method, String path, Consumer<HttpHeaders> headers) {
        return ask("local.server.port", method, path, headers);
    }

    private ClientResponse ask(String port, HttpMethod method, String path, Consumer<HttpHeaders> headers) {
        return WebClient.create("http://127.0.0.1:" + context.getEnvironment().getProperty(port))
                .method(method)
                .uri(path)
                .headers(headers)
                .header("Connection", "close")
                .exchangeToMono(response -> response.bodyToMono(String.class)
                        .defaultIfEmpty("")
                        .map(body -> response.mutate().body(body).build()))
                .block();
    }

    /** Stops it so that it could be started again. */
    void stop() {
        context.stop();
    }

    @Override
    public void close() {
        context.close();
    }
}
