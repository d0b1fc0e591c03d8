package dev.weir.spring.application;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.map;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.spring.InvalidLimitException;
import dev.weir.spring.InvalidLimitFailureAnalyzer;
import dev.weir.spring.LimitDefinition;
import dev.weir.spring.LimiterWatch;
import dev.weir.spring.NamedLimits;
import dev.weir.spring.WeirEndpoint;
import dev.weir.webflux.RateLimitedHandlerAdapter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;

/** A whole application, from its properties to what its clients see. */
public abstract class ApplicationContract {

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

    private final String springBoot;

    /**
     * Makes the tests.
     *
     * @param springBoot what the version must begin with
     */
    protected ApplicationContract(String springBoot) {
        this.springBoot = springBoot;
    }

    @Test
    @DisplayName("the Spring Boot that was meant is the one that is there")
    void version() {
        assertThat(SpringBootVersion.getVersion()).startsWith(springBoot);
    }

    @Test
    @DisplayName("rules, keys and annotations hold, the endpoint and the meters tell, and a reload changes limits")
    void propertiesToBehaviour() {
        try (RunningApplication application = RunningApplication.start(Application.class, LIMITS)) {
            assertThat(application.statuses(3, "/api/a", "1.1.1.1")).containsExactly(200, 200, 429);
            assertThat(application.statuses(4, "/mine", "1.1.1.1")).containsExactly(200, 200, 200, 429);
            assertThat(application.status("/mine", "2.2.2.2")).isEqualTo(200);
            assertThat(application.statuses(2, "/annotated", "1.1.1.1")).containsExactly(200, 429);
            assertThat(application
                            .get("/api/a", headers -> {})
                            .headers()
                            .asHttpHeaders()
                            .getFirst("RateLimit-Policy"))
                    .isEqualTo("\"api\";q=2;w=3600");

            assertThat(application.body("/actuator/weir"))
                    .contains("\"api\"", "\"refused\":2", "\"keys\":2", "\"backend\":\"local\"")
                    .doesNotContain("1.1.1.1", "\"backend\":\"redis\"");
            assertThat(application
                            .bean(MeterRegistry.class)
                            .get("weir.limiter.leases")
                            .tags("limiter", "api", "outcome", "refused")
                            .functionCounter()
                            .count())
                    .isEqualTo(2);
            assertThat(application
                            .bean(MeterRegistry.class)
                            .get("weir.limiter.keys")
                            .tags("limiter", "per-address")
                            .gauge()
                            .value())
                    .isEqualTo(2);

            changeAndReload(application);
        }
    }

    @ParameterizedTest
    @CsvSource({"64, 200", "48, 429"})
    @DisplayName("IPv6 addresses count as one client if they begin with the same bits, of the number that is set")
    void ipv6Prefix(int prefix, int ofTheOtherNetwork) {
        String[] properties = RunningApplication.with(LIMITS, "weir.http.ipv6-prefix=" + prefix);
        try (RunningApplication application = RunningApplication.start(Application.class, properties)) {
            assertThat(application.statuses(3, "/mine", "2001:db8:0:1::1")).containsOnly(200);
            assertThat(application.status("/mine", "2001:db8:0:1::2")).isEqualTo(429);
            assertThat(application.status("/mine", "2001:db8:0:2::1")).isEqualTo(ofTheOtherNetwork);
            assertThat(application.status("/mine", "2001:db8:1:1::1")).isEqualTo(200);
        }
    }

    @Test
    @DisplayName("the endpoint tells the whole state of a limit, each number under its name")
    void report() {
        String[] properties = RunningApplication.with(LIMITS, "weir.limits.api.permits=5");
        try (RunningApplication application = RunningApplication.start(Application.class, properties)) {
            RateLimiter api = application.bean(NamedLimits.class).limiter("api");
            Stream.generate(api::tryAcquire)
                    .limit(4)
                    .forEach(lease -> assertThat(lease.isAcquired()).isTrue());
            Stream.generate(() -> api.tryAcquire(2))
                    .limit(3)
                    .forEach(lease -> assertThat(lease.isAcquired()).isFalse());
            assertThat(api.acquire(2)).isNotDone();
            assertThat(application.status("/mine", "1.1.1.1")).isEqualTo(200);

            Map<String, Object> report = JsonParserFactory.getJsonParser().parseMap(application.body("/actuator/weir"));
            assertThat(report).containsOnlyKeys("limits");
            assertThat(report.get("limits"))
                    .asInstanceOf(map(String.class, Object.class))
                    .containsOnlyKeys("api", "per-address", "annotated")
                    .containsEntry("api", state(api.limit().toString(), null, 1, 2, 4, 3))
                    .containsEntry("per-address", state(Limit.of(3, ofHours(1)).toString(), 1, null, null, null, null));
        }
    }

    private static Map<String, Object> state(String limit, Integer keys, Integer... numbers) {
        Map<String, Object> state = new HashMap<>(Map.of("limit", limit, "backend", "local"));
        state.put("keys", keys);
        state.put("available", numbers[0]);
        state.put("queued", numbers[1]);
        state.put("acquired", numbers[2]);
        state.put("refused", numbers[3]);
        return state;
    }

    private static void changeAndReload(RunningApplication application) {
        application.change(Map.of("weir.limits.api.permits", "3", "weir.limits.per-address.permits", "1"));
        NamedLimits limits = application.bean(NamedLimits.class);
        limits.reload();
        assertThat(limits.definition("api").limit()).isEqualTo(Limit.of(3, ofHours(1)));
        assertThat(application.statuses(2, "/api/a", "1.1.1.1")).containsExactly(200, 429);
        assertThat(application.statuses(2, "/mine", "2.2.2.2")).containsExactly(200, 429);
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("wrong properties stop the application, and the report names the one that is wrong")
    @CsvSource(
            delimiter = '|',
            value = {
                "weir.limits.api.permits=0 | weir.limits.api.permits",
                "weir.limits.api.base=nobody | weir.limits.api.base",
                "weir.limits.api.backend=redis | weir.limits.api.backend",
                "weir.limits.per-address.key=adress | weir.limits.per-address.key",
                "weir.limits.per-address.key=header: X-Client | weir.limits.per-address.key",
                "weir.limits.Api.permits=3 | weir.limits.Api",
                "weir.http.trusted-proxies=10.0.0.0/99 | weir.http.trusted-proxies",
                "weir.http.rules[1].limits=api,apj | weir.http.rules[1].limits",
                "weir.http.rules[1].protect=per-address | weir.http.rules[1].protect",
                "weir.http.rules[0].limits=api,api | weir.http.rules[0].limits",
                "weir.http.rules[1].limits=per-address,per-address | weir.http.rules[1].limits",
                "weir.http.rules[0].protect=api | weir.http.rules[0].protect",
                "weir.http.rules[1].paths= | weir.http.rules[1].paths",
                "weir.http.rules[1].paths=, | weir.http.rules[1].paths",
                "weir.http.rules[1].methods= | weir.http.rules[1].methods",
                "weir.http.rules[1].cost=-1 | weir.http.rules[1].cost",
                "weir.http.rules[1].cost=0 | weir.http.rules[1].cost",
                "weir.http.rules[0].cost=3 | weir.http.rules[0].cost",
                "weir.http.rules[1].cost=4 | weir.http.rules[1].cost",
                "weir.limits.per-address.overflow-permits=1,weir.http.rules[1].cost=2 | weir.http.rules[1].cost",
                "weir.http.rules[1].methods=get,fetch | weir.http.rules[1].methods",
                "weir.limits.api.without-key=refuse | weir.limits.api.without-key",
                "weir.limits.annotated.kind=concurrency,weir.limits.annotated.period=1s | weir.limits.annotated.period",
                "weir.limits.api.premits=3 | weir.limits.api.premits",
                "weir.limitz.api.permits=3 | weir.limitz.api.permits",
                "weir.http.rules[1].path=/mine | weir.http.rules[1].path",
                "weir.http.rules[2].limit=api | weir.http.rules[2].limit",
                "weir.redis.expected-node=3 | weir.redis.expected-node"
            })
    void wrongProperties(String wrong, String property) {
        RunningApplication.checkFailure(
                RunningApplication.runner(LIMITS).withPropertyValues(wrong.split(",(?=weir)")), property);
    }

    @Test
    @DisplayName("an annotation that names no limit stops the application")
    void wrongAnnotation() {
        String[] others = {"weir.limits.other.permits=1", "weir.limits.other.period=1s"};
        assertThatThrownBy(() ->
                        RunningApplication.start(Application.class, others).close())
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
    @DisplayName("what to do is said of what is missing, where no property is wrong")
    void whatToDo() {
        String[] redis = {"weir.redis.enabled=true"};
        assertThat(actionOf(
                        RunningApplication.runner(redis).withClassLoader(new FilteredClassLoader("dev.weir.redis"))))
                .contains("dev.weir:weir-redis", "'weir.redis.enabled'");
        assertThat(actionOf(RunningApplication.runner(redis))).contains("RedisClient", "'weir.redis.enabled'");
        assertThat(actionOf(RunningApplication.runner().withUserConfiguration(Endpoints.class)))
                .contains("'weir.limits.<name>'", "annotation");
    }

    private static String actionOf(ReactiveWebApplicationContextRunner runner) {
        AtomicReference<String> action = new AtomicReference<>();
        runner.run(context -> action.set(new InvalidLimitFailureAnalyzer()
                .analyze(context.getStartupFailure())
                .getAction()));
        return action.get();
    }

    @Test
    @DisplayName("switched off, there is nothing")
    void disabled() {
        String[] properties = RunningApplication.with(LIMITS, "weir.enabled=false");
        try (RunningApplication application = RunningApplication.start(Application.class, properties)) {
            assertThat(application.hasBean(NamedLimits.class)).isFalse();
            assertThat(application.statuses(3, "/annotated", "1.1.1.1")).containsOnly(200);
        }
    }

    @ParameterizedTest
    @DisplayName("a switch knows all words of Spring Boot for yes and no")
    @CsvSource({"false, true", "off, on", "no, yes", "0, 1"})
    void switches(String off, String on) {
        RunningApplication.runner(LIMITS)
                .withPropertyValues("weir.enabled=" + off)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(NamedLimits.class));
        RunningApplication.runner(LIMITS)
                .withPropertyValues("weir.enabled=" + on, "weir.http.enabled=" + off, "weir.redis.enabled=" + off)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(NamedLimits.class)
                        .doesNotHaveBean(RateLimitedHandlerAdapter.class));
        RunningApplication.checkFailure(
                RunningApplication.runner(LIMITS).withPropertyValues("weir.redis.enabled=" + on), "weir.redis.enabled");
    }

    @Test
    @DisplayName("a watch and an adapter of the application take the place of those of the starter")
    void ownBeans() {
        RunningApplication.runner(LIMITS).withUserConfiguration(OwnBeans.class).run(context -> {
            assertThat(context)
                    .hasNotFailed()
                    .hasSingleBean(LimiterWatch.class)
                    .hasSingleBean(RateLimitedHandlerAdapter.class)
                    .hasBean("ownAdapter");
            assertThat(context.getBean(OwnWatch.class).made).containsExactlyInAnyOrder("api", "annotated");
        });
    }

    @Test
    @DisplayName("a context whose parent has the limits shares them: limits of its own would grant all again")
    void limitsOfTheParent() {
        RunningApplication.runner(LIMITS)
                .run(parent -> RunningApplication.runner(LIMITS)
                        .withParent(parent)
                        .run(child -> {
                            assertThat(child).hasNotFailed();
                            assertThat(child.getBean(NamedLimits.class)).isSameAs(parent.getBean(NamedLimits.class));
                            assertThat(child.getBean(WeirEndpoint.class)).isSameAs(parent.getBean(WeirEndpoint.class));
                        }));
    }

    @Test
    @DisplayName("of several meter registries the primary one has the meters; without a primary one there are none")
    void severalRegistries() {
        SimpleMeterRegistry primary = new SimpleMeterRegistry();
        RunningApplication.runner(LIMITS)
                .withBean("one", MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean("two", MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(NamedLimits.class)
                        .doesNotHaveBean(LimiterWatch.class));
        RunningApplication.runner(LIMITS)
                .withBean("one", MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean("two", MeterRegistry.class, () -> primary, registry -> registry.setPrimary(true))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(LimiterWatch.class));
        assertThat(primary.find("weir.limiter.available").gauges()).isNotEmpty();
    }

    @Test
    @DisplayName("an application without actuator, Micrometer and Redis has limits all the same")
    void bare() {
        RunningApplication.runner(LIMITS)
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.actuate",
                        "io.micrometer.core",
                        "dev.weir.micrometer",
                        "dev.weir.redis",
                        "org.springframework.data",
                        "io.lettuce"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(NamedLimits.class)
                        .hasSingleBean(RateLimitedHandlerAdapter.class)
                        .doesNotHaveBean(WeirEndpoint.class)
                        .doesNotHaveBean(LimiterWatch.class));
    }

    @Test
    @DisplayName("an application without a handler adapter has limits and rules, and none for annotations")
    void withoutHandlerMethods() {
        RunningApplication.runnerWithoutWebFlux(LIMITS)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(NamedLimits.class)
                        .hasBean("weirEarlyRules")
                        .doesNotHaveBean(RateLimitedHandlerAdapter.class));
    }

    @Test
    @DisplayName(
            "an application on servlets has limits by name, and does not start with rules that would limit nothing")
    void servlets() {
        RunningApplication.checkFailure(RunningApplication.servletRunner(LIMITS), "weir.http.rules");
        RunningApplication.servletRunner(LIMITS)
                .withPropertyValues("weir.http.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(NamedLimits.class));
        RunningApplication.servletRunner("weir.limits.api.permits=2", "weir.limits.api.period=1h")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(NamedLimits.class));
    }

    @Test
    @DisplayName("of several adapters for handler methods, the limits of annotations go before that of WebFlux")
    void severalHandlerAdapters() {
        RunningApplication.runner(LIMITS)
                .withBean("another", RequestMappingHandlerAdapter.class, RequestMappingHandlerAdapter::new)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RateLimitedHandlerAdapter.class));
    }

    @Test
    @DisplayName("the properties on the first page of the documentation make the limit that it names")
    void propertiesOfTheFirstPage() throws IOException {
        String row = Files.readAllLines(Path.of("..", "..", "README.md")).stream()
                .filter(line -> line.startsWith("| Spring Boot with WebFlux: 10 a second for each address"))
                .findFirst()
                .orElseThrow();
        String[] properties = Pattern.compile("`([^`]+=[^`]+)`")
                .matcher(row)
                .results()
                .map(found -> found.group(1))
                .toArray(String[]::new);
        RunningApplication.runner(properties).run(context -> {
            assertThat(context).hasNotFailed();
            LimitDefinition api = context.getBean(NamedLimits.class).definition("api");
            assertThat(api.limit()).isEqualTo(Limit.of(10, ofSeconds(1)));
            assertThat(api.key()).isEqualTo("address");
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoints.class)
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    static class OwnBeans {

        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }

        @Bean
        OwnWatch ownWatch() {
            return new OwnWatch();
        }

        @Bean
        RateLimitedHandlerAdapter ownAdapter(RequestMappingHandlerAdapter methods) {
            return RateLimitedHandlerAdapter.before(methods, Map.of());
        }
    }

    /** Notes the limiters without a key. */
    static final class OwnWatch implements LimiterWatch {

        final List<String> made = new ArrayList<>();

        @Override
        public void made(RateLimiter limiter) {
            made.add(limiter.name());
        }
    }
}
