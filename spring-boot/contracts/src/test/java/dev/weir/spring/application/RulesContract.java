package dev.weir.spring.application;

import static dev.weir.spring.application.RunningApplication.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.spring.InvalidLimitException;
import dev.weir.spring.LimitDefinition;
import dev.weir.spring.LimiterFactory;
import dev.weir.spring.NamedLimits;
import dev.weir.webflux.RateLimitWebFilter;
import dev.weir.webflux.RefusalWriter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.config.PathMatchConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** What rules say of requests, one by one, and what the application around them can change. */
@ExtendWith(OutputCaptureExtension.class)
public abstract class RulesContract {

    private static final String[] LIMITS = {
        "weir.limits.common.period=1h",
        "weir.limits.api.base=common",
        "weir.limits.api.permits=2",
        "weir.limits.room.base=common",
        "weir.limits.room.permits=1",
        "weir.limits.per-client.base=common",
        "weir.limits.per-client.permits=1",
        "weir.limits.per-client.key=header:X-Client",
        "weir.limits.annotated.base=common",
        "weir.limits.annotated.permits=1",
        "weir.http.headers=draft-11",
        "weir.http.rules[0].paths=/api/**",
        "weir.http.rules[0].limits=api",
        "weir.http.rules[1].paths=/other",
        "weir.http.rules[1].protect=room",
        "weir.http.rules[2].paths=/mine",
        "weir.http.rules[2].limits=per-client"
    };

    @Test
    @DisplayName("a protected path answers 503 where a limit of clients answers 429")
    void protect() {
        try (RunningApplication application = RunningApplication.start(Application.class, LIMITS)) {
            assertThat(application.status("/other")).isEqualTo(200);
            ClientResponse refused = application.get("/other", headers -> {});
            assertThat(refused.statusCode().value()).isEqualTo(503);
            assertThat(refused.headers().asHttpHeaders().getFirst("Retry-After"))
                    .containsOnlyDigits();
            assertThat(refused.bodyToMono(String.class).block())
                    .contains("#temporary-reduced-capacity", "\"violated-policies\":[\"room\"]");
        }
    }

    @Test
    @DisplayName("a rule holds for every way of writing its path that the application maps to the same handler")
    void pathsAsTheApplicationMapsThem() {
        String[] properties = with(
                LIMITS,
                "weir.limits.by-route.base=common",
                "weir.limits.by-route.permits=2",
                "weir.limits.by-route.key=route",
                "weir.limits.by-route.without-key=skip",
                "weir.http.rules[2].paths=/mine",
                "weir.http.rules[2].limits=by-route");
        try (RunningApplication application = RunningApplication.start(InAnyCase.class, properties)) {
            assertThat(application.statuses(3, "/API/a", "1.1.1.1")).containsExactly(200, 200, 429);
            assertThat(application.status("/api/A")).isEqualTo(429);
            assertThat(application.statuses(2, "/Mine", "1.1.1.1")).containsOnly(200);
            assertThat(application.status("/mine")).isEqualTo(429);
        }
    }

    @Test
    @DisplayName("a rule for GET holds for HEAD, which the same handlers answer: otherwise it would be a way around it")
    void headIsAsGet() {
        String[] properties = with(LIMITS, "weir.http.rules[0].methods=get");
        try (RunningApplication application = RunningApplication.start(Application.class, properties)) {
            assertThat(application.head("/api/a")).isEqualTo(200);
            assertThat(application.statuses(2, "/api/a", "1.1.1.1")).containsExactly(200, 429);
            assertThat(application.head("/api/a")).isEqualTo(429);
        }
    }

    @Test
    @DisplayName(
            "an actuator on a port of its own answers whatever the rules say of all paths; on that of the application not")
    void actuator() {
        String[] properties = with(LIMITS, "weir.http.rules[0].paths=/**");
        String[] ownPort = with(properties, "management.server.port=0", "management.server.address=127.0.0.1");
        try (RunningApplication application = RunningApplication.start(Application.class, ownPort)) {
            assertThat(application.statuses(3, "/mine", "1.1.1.1")).containsExactly(200, 429, 429);
            assertThat(application.managementStatus("/actuator/weir")).isEqualTo(200);
        }
        try (RunningApplication application = RunningApplication.start(Application.class, properties)) {
            assertThat(application.status("/actuator/weir")).isEqualTo(200);
            assertThat(application.status("/actuator/weir")).isEqualTo(200);
            assertThat(application.status("/actuator/weir")).isEqualTo(429);
        }
    }

    @Test
    @DisplayName(
            "a filter of one's own that is restricted to its context leaves an actuator on a port of its own alone")
    void ownFilterAndActuator() {
        String[] ownPort = with(
                LIMITS, "weir.http.enabled=false", "management.server.port=0", "management.server.address=127.0.0.1");
        try (RunningApplication application = RunningApplication.start(WithFilter.class, ownPort)) {
            assertThat(application.statuses(2, "/api/a", "1.1.1.1")).containsExactly(200, 429);
            assertThat(application.managementStatus("/actuator/weir")).isEqualTo(200);
        }
    }

    @Test
    @DisplayName("a RefusalWriter of the application writes the refusals of rules and of annotated methods")
    void ownRefusals() {
        try (RunningApplication application = RunningApplication.start(WithRefusals.class, LIMITS)) {
            assertThat(application.statuses(2, "/api/a", "1.1.1.1")).containsExactly(200, 200);
            assertThat(application.body("/api/a")).isEqualTo("not now: Too many requests");
            assertThat(application.body("/annotated")).isEqualTo("ok");
            assertThat(application.body("/annotated")).isEqualTo("not now: Too many requests");
        }
    }

    @Test
    @DisplayName("rules that match add up, and all or none ends at each of them")
    void rulesAddUp() {
        String[] properties = with(
                LIMITS,
                "weir.limits.api.permits=10",
                "weir.http.rules[3].paths=/api/a",
                "weir.http.rules[3].limits=api, scarce",
                "weir.http.rules[3].cost=2",
                "weir.limits.scarce.base=common",
                "weir.limits.scarce.permits=2");
        try (RunningApplication application = RunningApplication.start(Application.class, properties)) {
            RateLimiter api = application.bean(NamedLimits.class).limiter("api");
            assertThat(application.status("/api/a")).isEqualTo(200);
            assertThat(api.availablePermits())
                    .as("1 by one rule and 2 by the other")
                    .isEqualTo(7);
            assertThat(application.status("/api/a")).isEqualTo(429);
            assertThat(api.availablePermits())
                    .as("1 by the rule that did not refuse")
                    .isEqualTo(6);
        }
    }

    @Test
    @DisplayName("a request that a limit refuses takes no room, not even for a moment, and no meter counts it there")
    void limitsBeforeRoom() {
        String[] properties = with(
                LIMITS,
                "weir.limits.once.base=common",
                "weir.limits.once.permits=1",
                "weir.limits.room.permits=5",
                "weir.http.rules[1].limits=once");
        try (RunningApplication application = RunningApplication.start(Application.class, properties)) {
            assertThat(application.statuses(6, "/other", "1.1.1.1")).containsExactly(200, 429, 429, 429, 429, 429);
            assertThat(application.permits("room")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"/other, room", "/annotated, annotated"})
    @DisplayName(
            "a request to a limit that is waiting gets no answer before there is room, and then that of the handler")
    void waiting(String path, String limit) {
        String[] properties = with(
                LIMITS,
                "weir.limits.slots.kind=concurrency",
                "weir.limits.slots.permits=1",
                "weir.limits.slots.waiting=true",
                "weir.limits." + limit + ".base=slots");
        try (RunningApplication application = RunningApplication.start(Application.class, properties)) {
            RateLimiter limiter = application.bean(NamedLimits.class).limiter(limit);
            Lease taken = limiter.tryAcquire();
            CompletableFuture<Integer> asked = CompletableFuture.supplyAsync(() -> application.status(path));
            await().until(() -> limiter.statistics().queuedPermits() == 1);
            assertThat(asked).isNotDone();
            taken.close();
            assertThat(asked).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(200);
        }
    }

    @Test
    @DisplayName("a rule that waits for one limit refuses at once what exceeds another that has a longest wait of zero")
    void waitingForOneOnly() {
        String[] properties = with(
                LIMITS,
                "weir.limits.slots.kind=concurrency",
                "weir.limits.slots.permits=5",
                "weir.limits.slots.waiting=true",
                "weir.limits.room.max-wait=0s",
                "weir.http.rules[1].limits=slots");
        try (RunningApplication application = RunningApplication.start(Application.class, properties)) {
            assertThat(application.statuses(2, "/other", "1.1.1.1")).containsExactly(200, 503);
        }
    }

    @Test
    @DisplayName(
            "the first example of the documentation starts, and a request of nobody, which it refuses, costs nobody anything")
    void exampleOfThePage() throws IOException {
        String page = Files.readString(Path.of("..", "..", "docs", "spring-boot.md"));
        Matcher example = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(example.find()).isTrue();
        YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
        yaml.setResources(new ByteArrayResource(example.group(1).getBytes(StandardCharsets.UTF_8)));
        List<String> properties =
                new ArrayList<>(List.of("weir.limits.annotated.permits=1", "weir.limits.annotated.period=1s"));
        Objects.requireNonNull(yaml.getObject()).forEach((name, value) -> properties.add(name + "=" + value));

        try (RunningApplication application =
                RunningApplication.start(Application.class, properties.toArray(String[]::new))) {
            NamedLimits limits = application.bean(NamedLimits.class);
            assertThat(application.status("/api/search")).isEqualTo(403);
            assertThat(limits.limiter("api").availablePermits())
                    .as("spent by a request of nobody")
                    .isEqualTo(10_000);
        }
    }

    @Test
    @DisplayName("weir.http.enabled=false: no request is held against anything, and limits can still be had")
    void httpSwitchedOff() {
        String[] properties = with(LIMITS, "weir.http.enabled=false");
        try (RunningApplication application = RunningApplication.start(Application.class, properties)) {
            assertThat(application.statuses(3, "/api/a", "1.1.1.1")).containsOnly(200);
            assertThat(application.statuses(3, "/annotated", "1.1.1.1")).containsOnly(200);
            RateLimiter api = application.bean(NamedLimits.class).limiter("api");
            assertThat(api.tryAcquire(2).isAcquired()).isTrue();
            assertThat(api.tryAcquire().isAcquired()).isFalse();
        }
    }

    @Test
    @DisplayName("a factory of the application's own makes all limiters, and those by which a reload replaces them")
    void ownFactory() {
        RunningApplication.runner(LIMITS).withBean(OwnFactory.class).run(context -> {
            OwnFactory factory = context.getBean(OwnFactory.class);
            NamedLimits limits = context.getBean(NamedLimits.class);
            assertThat(factory.made).containsExactlyInAnyOrder("api", "room", "per-client", "annotated");
            assertThat(limits.limiter("api").tryAcquire(3).isAcquired())
                    .as("the factory grants one more than it is told")
                    .isTrue();

            change(context, Map.of("weir.limits.per-client.permits", "5"));
            limits.reload();
            assertThat(factory.made).hasSize(5).endsWith("per-client");
        });
    }

    private static void change(ConfigurableApplicationContext context, Map<String, Object> properties) {
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("changed", properties));
    }

    @Test
    @DisplayName("a reload changes nothing when anything is wrong, in the properties or in the making")
    void reloadIsAllOrNothing() {
        RunningApplication.runner(LIMITS).withBean(OwnFactory.class).run(context -> {
            NamedLimits limits = context.getBean(NamedLimits.class);
            Limit api = limits.definition("api").limit();
            Limit perClient = limits.definition("per-client").limit();

            change(context, Map.of("weir.limits.api.permits", "50", "weir.limits.per-client.permits", "0"));
            assertThatThrownBy(limits::reload)
                    .isInstanceOf(InvalidLimitException.class)
                    .hasMessageContaining("weir.limits.per-client.permits");
            change(context, Map.of("weir.limits.api.kind", "leaky-bucket", "weir.limits.per-client.permits", "7"));
            assertThatThrownBy(limits::reload)
                    .isInstanceOf(InvalidLimitException.class)
                    .hasMessageContaining("weir.limits.api.kind");
            change(
                    context,
                    Map.of(
                            "weir.limits.api.kind", "sliding-window-log",
                            "weir.limits.api.permits", "50",
                            "weir.limits.per-client.permits", "" + OwnFactory.REFUSED));
            assertThatThrownBy(limits::reload).hasMessage("the store is away");

            assertThat(limits.definition("api").limit()).isEqualTo(api);
            assertThat(limits.limiter("api").limit().capacity()).isEqualTo(OwnFactory.capacity(api));
            assertThat(limits.definition("per-client").limit()).isEqualTo(perClient);
            assertThat(limits.partitioned("per-client").forKey("a").limit()).isEqualTo(perClient);
        });
    }

    @Test
    @DisplayName("a limit does not change to less than a rule costs: nothing would be granted any more")
    void costsAfterAChange() {
        String[] properties = with(LIMITS, "weir.http.rules[0].cost=2");
        RunningApplication.runner(properties).run(context -> {
            NamedLimits limits = context.getBean(NamedLimits.class);
            change(context, Map.of("weir.limits.room.permits", "5", "weir.limits.api.permits", "1"));
            assertThatThrownBy(limits::reload)
                    .isInstanceOf(InvalidLimitException.class)
                    .hasMessageContaining("weir.http.rules[0].cost");
            assertThatThrownBy(() -> limits.change("api", Limit.of(1, Duration.ofHours(1))))
                    .isInstanceOf(InvalidLimitException.class);
            assertThat(limits.limiter("api").limit().capacity()).isEqualTo(2);
            assertThat(limits.limiter("room").limit().capacity()).isEqualTo(1);
        });
    }

    @Test
    @DisplayName("a shared limit does not change to less than a rule of any context costs, until that context is gone")
    void costsInChildContexts() {
        String[] properties = with(LIMITS, "weir.limits.api.permits=5", "weir.http.rules[0].cost=2");
        RunningApplication.runner(properties).run(parent -> {
            NamedLimits limits = parent.getBean(NamedLimits.class);
            child(parent, "weir.http.rules[0].cost=4").run(child -> {
                assertThat(child).hasNotFailed();
                rejected(limits, 3);
            });
            rejected(limits, 1);
            limits.change("api", Limit.of(3, Duration.ofHours(1)));

            RunningApplication.checkFailure(child(parent, "weir.http.rules[0].cost=4"), "weir.http.rules[0].cost");
            child(parent, "weir.http.rules[0].cost=3")
                    .withBean(SmartInitializingSingleton.class, () -> () -> {
                        throw new IllegalStateException("when all beans have been made");
                    })
                    .run(child -> assertThat(child).getFailure().hasMessage("when all beans have been made"));
            limits.change("api", Limit.of(2, Duration.ofHours(1)));
        });
    }

    private static ReactiveWebApplicationContextRunner child(ApplicationContext parent, String property) {
        return RunningApplication.runner(with(LIMITS, property)).withParent(parent);
    }

    private static void rejected(NamedLimits limits, int permits) {
        assertThatThrownBy(() -> limits.change("api", Limit.of(permits, Duration.ofHours(1))))
                .isInstanceOf(InvalidLimitException.class)
                .hasMessageContaining("'weir.http.rules[0].cost'");
    }

    @Test
    @DisplayName("no key is in a header, a body, a meter, the endpoint or the log, whether admitted or refused")
    void noKeyIsTold(CapturedOutput output) {
        String key = "very-secret-0815";
        String[] properties = with(LIMITS, "logging.level.root=info", "logging.level.dev.weir=trace");
        try (RunningApplication application = RunningApplication.start(Application.class, properties)) {
            ClientResponse admitted = application.get("/mine", headers -> headers.set("X-Client", key));
            ClientResponse refused = application.get("/mine", headers -> headers.set("X-Client", key));

            assertThat(admitted.statusCode().value()).isEqualTo(200);
            assertThat(refused.statusCode().value()).isEqualTo(429);
            assertThat(told(admitted)).contains("per-client").doesNotContain(key);
            assertThat(told(refused)).contains("per-client").doesNotContain(key);
            assertThat(application.body("/actuator/weir"))
                    .contains("\"keys\":1")
                    .doesNotContain(key);
            assertThat(application.bean(MeterRegistry.class).getMeters().toString())
                    .doesNotContain(key);
        }
        assertThat(output)
                .as("the log, which is there")
                .contains("Netty started on port")
                .doesNotContain(key);
    }

    private static String told(ClientResponse response) {
        return response.headers().asHttpHeaders()
                + response.bodyToMono(String.class).block();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoints.class)
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoints.class)
    static class InAnyCase implements WebFluxConfigurer {

        @Override
        public void configurePathMatching(PathMatchConfigurer paths) {
            paths.setUseCaseSensitiveMatch(false);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoints.class)
    static class WithFilter {

        @Bean
        WebFilter own(ApplicationContext context) {
            return RateLimitWebFilter.builder()
                    .limit(RateLimiter.of(1, Duration.ofHours(1)))
                    .matching(exchange -> exchange.getApplicationContext() == context)
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoints.class)
    static class WithRefusals {

        @Bean
        RefusalWriter inWords() {
            return (exchange, refusal) -> {
                ServerHttpResponse response = exchange.getResponse();
                String words = "not now: " + refusal.getBody().getTitle();
                return response.writeWith(
                        Mono.fromSupplier(() -> response.bufferFactory().wrap(words.getBytes(StandardCharsets.UTF_8))));
            };
        }
    }

    /** Is generous, so that it can be told from others. */
    static final class OwnFactory implements LimiterFactory {

        static final int REFUSED = 13;

        final List<String> made = new ArrayList<>();

        static int capacity(Limit defined) {
            return defined.capacity() + 1;
        }

        @Override
        public RateLimiter limiter(LimitDefinition definition) {
            made.add(definition.name());
            return RateLimiter.builder(Limit.of(capacity(definition.limit()), Duration.ofHours(1)))
                    .name(definition.name())
                    .build();
        }

        @Override
        public PartitionedRateLimiter<String> partitioned(LimitDefinition definition) {
            if (definition.limit().capacity() == REFUSED) {
                throw new IllegalStateException("the store is away");
            }
            made.add(definition.name());
            return PartitionedRateLimiter.of(definition.limit());
        }
    }
}
