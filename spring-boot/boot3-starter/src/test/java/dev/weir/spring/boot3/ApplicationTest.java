package dev.weir.spring.boot3;

import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limit.Limit;
import dev.weir.spring.InvalidLimitException;
import dev.weir.spring.InvalidLimitFailureAnalyzer;
import dev.weir.spring.LimiterWatch;
import dev.weir.spring.NamedLimits;
import dev.weir.spring.WeirEndpoint;
import dev.weir.webflux.RateLimited;
import dev.weir.webflux.RateLimitedHandlerAdapter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.web.reactive.WebFluxAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** A whole application, from its properties to what its clients see. */
class ApplicationTest {

    private static final String[] LIMITS = {
        "weir.limits.common.period=1h",
        "weir.limits.api.base=common",
        "weir.limits.api.permits=2",
        "weir.limits.per-address.base=common",
        "weir.limits.per-address.permits=3",
        "weir.limits.per-address.key=address",
        "weir.limits.annotated.base=common",
        "weir.limits.annotated.permits=1",
        "weir.http.headers=draft-11",
        "weir.http.trusted-proxies=127.0.0.0/8",
        "weir.http.rules[0].paths=/api/**",
        "weir.http.rules[0].limits=api",
        "weir.http.rules[1].paths=/mine",
        "weir.http.rules[1].methods=get",
        "weir.http.rules[1].limits=per-address"
    };

    @Test
    @DisplayName("the Spring Boot that was meant is the one that is there")
    void version() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.");
    }

    @Test
    @DisplayName("rules, keys and annotations hold, the endpoint and the meters tell, and a reload changes limits")
    void propertiesToBehaviour() {
        try (ConfigurableApplicationContext application = start(LIMITS)) {
            assertThat(Stream.generate(() -> status(application, "/api/a", "1.1.1.1"))
                            .limit(3))
                    .containsExactly(200, 200, 429);
            assertThat(Stream.generate(() -> status(application, "/mine", "1.1.1.1"))
                            .limit(4))
                    .containsExactly(200, 200, 200, 429);
            assertThat(status(application, "/mine", "2.2.2.2")).isEqualTo(200);
            assertThat(Stream.generate(() -> status(application, "/annotated", "1.1.1.1"))
                            .limit(2))
                    .containsExactly(200, 429);
            assertThat(get(application, "/api/a", "1.1.1.1")
                            .map(response -> response.headers().asHttpHeaders().getFirst("RateLimit-Policy"))
                            .block())
                    .isEqualTo("\"api\";q=2;w=3600");

            assertThat(endpoint(application))
                    .contains("\"api\"", "\"refused\":2", "\"keys\":2")
                    .doesNotContain("1.1.1.1");
            assertThat(application
                            .getBean(MeterRegistry.class)
                            .get("weir.limiter.leases")
                            .tags("limiter", "api", "outcome", "refused")
                            .functionCounter()
                            .count())
                    .isEqualTo(2);

            changeAndReload(application);
        }
    }

    private static void changeAndReload(ConfigurableApplicationContext application) {
        application
                .getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "changed", Map.of("weir.limits.api.permits", "3", "weir.limits.per-address.permits", "1")));
        NamedLimits limits = application.getBean(NamedLimits.class);
        limits.reload();
        assertThat(limits.definition("api").limit()).isEqualTo(Limit.of(3, ofHours(1)));
        assertThat(Stream.generate(() -> status(application, "/api/a", "1.1.1.1"))
                        .limit(2))
                .containsExactly(200, 429);
        assertThat(Stream.generate(() -> status(application, "/mine", "2.2.2.2"))
                        .limit(2))
                .containsExactly(200, 429);
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("wrong properties stop the application, and the report names the one that is wrong")
    @CsvSource(
            delimiter = '|',
            value = {
                "weir.limits.api.permits=0 | weir.limits.api.permits",
                "weir.limits.api.base=nobody | weir.limits.api.base",
                "weir.limits.per-address.key=adress | weir.limits.per-address.key",
                "weir.http.trusted-proxies=10.0.0.0/99 | weir.http.trusted-proxies",
                "weir.http.rules[1].limits=api,apj | weir.http.rules[1].limits",
                "weir.http.rules[1].protect=per-address | weir.http.rules[1].protect",
                "weir.http.rules[1].cost=-1 | weir.http.rules[1].cost"
            })
    void wrongProperties(String wrong, String property) {
        String[] properties = Stream.concat(Stream.of(LIMITS), Stream.of(wrong)).toArray(String[]::new);
        assertThatThrownBy(() -> start(properties).close())
                .hasRootCauseInstanceOf(InvalidLimitException.class)
                .rootCause()
                .hasMessageContaining("'" + property + "'");
    }

    @Test
    @DisplayName("an annotation that names no limit stops the application")
    void wrongAnnotation() {
        assertThatThrownBy(() -> start("weir.limits.other.permits=1", "weir.limits.other.period=1s")
                        .close())
                .hasMessageContaining("@RateLimited(\"annotated\")");
    }

    @Test
    @DisplayName("the failure is put into words by an analyzer that Spring Boot finds")
    void analyzer() {
        FailureHandler othersNeedMore = FailureHandler.handleMessage((message, failure) -> {});
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(FailureAnalyzer.class, othersNeedMore))
                .hasAtLeastOneElementOfType(InvalidLimitFailureAnalyzer.class);
        assertThat(new InvalidLimitFailureAnalyzer()
                        .analyze(new IllegalStateException(
                                new InvalidLimitException("weir.limits.a.permits", "is wrong"))))
                .satisfies(analysis -> {
                    assertThat(analysis.getDescription()).isEqualTo("Property 'weir.limits.a.permits' is wrong.");
                    assertThat(analysis.getAction()).contains("weir.limits.a.permits");
                });
    }

    @Test
    @DisplayName("switched off, there is nothing")
    void disabled() {
        try (ConfigurableApplicationContext application = start("weir.enabled=false")) {
            assertThat(application.getBeanNamesForType(NamedLimits.class)).isEmpty();
            assertThat(status(application, "/annotated", "1.1.1.1")).isEqualTo(200);
        }
    }

    @Test
    @DisplayName("without actuator and Micrometer there are limits all the same, and nothing of those")
    void bare() {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(WebFluxAutoConfiguration.class, WeirAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.actuate", "io.micrometer.core", "dev.weir.micrometer"))
                .withPropertyValues(LIMITS)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(NamedLimits.class)
                        .hasSingleBean(RateLimitedHandlerAdapter.class)
                        .doesNotHaveBean(WeirEndpoint.class)
                        .doesNotHaveBean(LimiterWatch.class));
    }

    private static ConfigurableApplicationContext start(String... properties) {
        Map<String, Object> all = new LinkedHashMap<>(Map.of(
                "server.port", "0",
                "server.address", "127.0.0.1",
                "spring.main.banner-mode", "off",
                "logging.level.root", "off",
                "management.endpoints.web.exposure.include", "weir"));
        for (String property : properties) {
            int equals = property.indexOf('=');
            all.put(property.substring(0, equals), property.substring(equals + 1));
        }
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.REACTIVE)
                .properties(all)
                .run();
    }

    private static int status(ConfigurableApplicationContext application, String path, String client) {
        return get(application, path, client)
                .map(response -> response.statusCode().value())
                .block();
    }

    private static String endpoint(ConfigurableApplicationContext application) {
        return get(application, "/actuator/weir", "9.9.9.9")
                .flatMap(response -> response.bodyToMono(String.class))
                .block();
    }

    private static Mono<ClientResponse> get(ConfigurableApplicationContext application, String path, String client) {
        String port = application.getEnvironment().getProperty("local.server.port");
        return WebClient.create("http://127.0.0.1:" + port)
                .get()
                .uri(path)
                .header("X-Forwarded-For", "6.6.6.6, " + client)
                .exchangeToMono(response -> response.bodyToMono(String.class)
                        .defaultIfEmpty("")
                        .map(body -> response.mutate().body(body).build()));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoints.class)
    static class Application {}

    @RestController
    static class Endpoints {

        @GetMapping({"/api/a", "/mine"})
        String any() {
            return "ok";
        }

        @RateLimited("annotated")
        @GetMapping("/annotated")
        String annotated() {
            return "ok";
        }
    }
}
