package dev.weir.spring.application;

import static dev.weir.spring.application.RunningApplication.checkFailure;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.spring.NamedLimits;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.web.reactive.function.client.ClientResponse;

/** Limits that applications share through a real Redis. */
public abstract class SharedLimitsContract {

    private static final String[] LIMITS = {
        "weir.redis.enabled=true",
        "weir.redis.deadline=10s",
        "weir.limits.common.period=1h",
        "weir.limits.api.base=common",
        "weir.limits.api.permits=3",
        "weir.limits.per-address.base=common",
        "weir.limits.per-address.permits=2",
        "weir.limits.per-address.key=address",
        "weir.limits.per-address.lease-ahead=1",
        "weir.limits.own.base=common",
        "weir.limits.own.permits=1",
        "weir.limits.own.backend=local",
        "weir.limits.annotated.base=common",
        "weir.limits.annotated.permits=1",
        "weir.http.trusted-proxies=127.0.0.0/8",
        "weir.http.rules[0].paths=/api/**",
        "weir.http.rules[0].limits=api",
        "weir.http.rules[1].paths=/mine",
        "weir.http.rules[1].limits=per-address",
        "weir.http.rules[2].paths=/other",
        "weir.http.rules[2].limits=own"
    };

    private static RunningRedis redis;

    @BeforeAll
    static void start() {
        redis = RunningRedis.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    @DisplayName(
            "two applications share a limit, keyed and annotated ones too, follow a change, and leave nothing open")
    void twoShare() {
        String server = "spring.data.redis.port=" + redis.port();
        try (RunningApplication one = start(Application.class, server);
                RunningApplication two = start(Application.class, server)) {
            assertThat(one.statuses(2, "/api/a", "1.1.1.1")).containsOnly(200);
            assertThat(two.statuses(2, "/api/a", "1.1.1.1")).containsExactly(200, 429);
            assertThat(one.status("/mine", "1.1.1.1")).isEqualTo(200);
            assertThat(two.statuses(2, "/mine", "1.1.1.1")).containsExactly(200, 429);
            assertThat(two.status("/mine", "2.2.2.2")).isEqualTo(200);
            assertThat(one.status("/annotated")).isEqualTo(200);
            assertThat(two.status("/annotated")).isEqualTo(429);
            assertThat(one.status("/other")).as("a limit of each its own").isEqualTo(200);
            assertThat(two.statuses(2, "/other", "1.1.1.1")).containsExactly(200, 429);
            assertThat(one.body("/actuator/weir")).contains("\"backend\":\"redis\"", "\"backend\":\"local\"");

            one.change(Map.of("weir.limits.api.permits", "5", "weir.limits.per-address.permits", "3"));
            one.bean(NamedLimits.class).reload();
            assertThat(one.statuses(3, "/api/a", "1.1.1.1"))
                    .as("what both were granted counts against the new limit")
                    .containsExactly(200, 200, 429);
            assertThat(one.statuses(2, "/mine", "1.1.1.1")).containsExactly(200, 429);
            assertThat(redis.connections()).isPositive();
        }
        await().untilAsserted(() -> assertThat(redis.connections()).isZero());
    }

    @Test
    @DisplayName(
            "a request that is not to wait is refused, though the store could book a place for it that is soon due")
    void refusedRatherThanBooked() {
        String[] properties = {
            "spring.data.redis.port=" + redis.port(),
            "weir.redis.key-prefix=evenly",
            "weir.limits.api.kind=leaky-bucket",
            "weir.limits.api.permits=360" // one in ten seconds, and the deadline is as long
        };
        try (RunningApplication application = start(Application.class, properties)) {
            assertThat(application.statuses(2, "/api/a", "1.1.1.1")).containsExactly(200, 429);
        }
    }

    @Test
    @DisplayName("Redis is not asked for a request that finds no room in this application")
    void roomBeforeRedis() {
        String[] properties = {
            "spring.data.redis.port=" + redis.port(),
            "weir.redis.key-prefix=room-first",
            "weir.http.rules[2].limits=api",
            "weir.http.rules[2].protect=own"
        };
        try (RunningApplication application = start(Application.class, properties)) {
            assertThat(application.statuses(3, "/other", "1.1.1.1")).containsExactly(200, 503, 503);
            assertThat(application.permits("api")).isEqualTo(1);
        }
    }

    @Test
    @DisplayName(
            "a rule that waits for a limit here waits for the answer of Redis, too, and no longer if that limit may not wait")
    void waitingBesideRedis() {
        String[] properties = {
            "spring.data.redis.port=" + redis.port(),
            "weir.redis.key-prefix=waiting",
            "weir.limits.api.max-wait=0s",
            "weir.limits.own.permits=9",
            "weir.limits.own.waiting=true",
            "weir.http.rules[2].limits=api,own"
        };
        try (RunningApplication application = start(Application.class, properties)) {
            assertThat(application.statuses(4, "/other", "1.1.1.1")).containsExactly(200, 200, 200, 429);
        }
    }

    @Test
    @DisplayName("a client of the application's own goes before that of Spring Data, which may be elsewhere")
    void ownClient() {
        String[] properties = {
            "own.port=" + redis.port(),
            "spring.data.redis.port=" + RunningRedis.freePort(),
            "weir.redis.key-prefix=shop",
            "weir.redis.when-unavailable=refuse"
        };
        try (RunningApplication application = start(WithClient.class, properties)) {
            assertThat(application.statuses(4, "/api/a", "1.1.1.1")).containsExactly(200, 200, 200, 429);
        }
        assertThat(redis.keys()).anyMatch(key -> key.startsWith("shop:"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "a factory declared by its interface is found before it is made: by an earlier user of a limit, or lazily")
    void factoryDeclaredByInterface(boolean lazily) {
        String[] properties = {
            "own.port=" + redis.port(),
            "weir.redis.key-prefix=interface-" + lazily,
            "weir.redis.when-unavailable=refuse",
            "spring.main.lazy-initialization=" + lazily
        };
        try (RunningApplication application = start(WithFactory.class, properties)) {
            assertThat(application.statuses(4, "/api/a", "1.1.1.1")).containsExactly(200, 200, 200, 429);
        }
        assertThat(redis.keys()).anyMatch(key -> key.startsWith("interface-" + lazily + ":"));
    }

    @ParameterizedTest
    @ValueSource(classes = {Application.class, WithClient.class})
    @DisplayName("permits that an application leased ahead are there for others once it is closed, by any client")
    void givenBack(Class<?> application) {
        String[] properties = {
            "own.port=" + redis.port(),
            "spring.data.redis.port=" + redis.port(),
            "weir.redis.key-prefix=ahead-" + application.getSimpleName(),
            "weir.limits.api.permits=100",
            "weir.limits.api.lease-ahead=50"
        };
        try (RunningApplication first = start(application, properties)) {
            assertThat(first.status("/api/a")).isEqualTo(200);
        }
        try (RunningApplication second = start(application, properties)) {
            RateLimiter api = second.bean(NamedLimits.class).limiter("api");
            assertThat(api.acquire(99)).succeedsWithin(ofSeconds(10)).matches(Lease::isAcquired);
        }
    }

    @Test
    @DisplayName("the limits of a context that is stopped, but not closed, stay open")
    void stoppedOnly() {
        String[] properties = {
            "spring.data.redis.port=" + redis.port(), "weir.redis.key-prefix=stopped", "weir.redis.deadline=200ms"
        };
        try (RunningApplication application = start(Application.class, properties)) {
            application.stop();
            RateLimiter api = application.bean(NamedLimits.class).limiter("api");
            assertThat(api.acquire()).succeedsWithin(ofSeconds(10));
        }
    }

    @ParameterizedTest
    @CsvSource({"local, 200, 429", "refuse, 503, 503", "allow, 200, 200"})
    @DisplayName("an application starts without a server, and does what it is to do meanwhile")
    void noServer(String whenUnavailable, int withinTheLimit, int beyondIt) {
        String[] properties = {
            "spring.data.redis.port=" + RunningRedis.freePort(),
            "weir.redis.deadline=200ms",
            "weir.redis.when-unavailable=" + whenUnavailable
        };
        try (RunningApplication application = start(Application.class, properties)) {
            assertThat(application.statuses(3, "/api/a", "1.1.1.1")).containsOnly(withinTheLimit);
            ClientResponse last = application.get("/api/a", headers -> {});
            assertThat(last.statusCode().value()).isEqualTo(beyondIt);
            if (beyondIt != 200) {
                assertThat(last.headers().asHttpHeaders().getFirst("Retry-After"))
                        .containsOnlyDigits();
            }
            assertThat(application.status("/other")).isEqualTo(200);
        }
    }

    @Test
    @DisplayName("Redis that is asked for and cannot be had stops the application, by the property that asks")
    void missing() {
        ReactiveWebApplicationContextRunner noClient = RunningApplication.runner(LIMITS);
        checkFailure(noClient.withClassLoader(new FilteredClassLoader("dev.weir.redis")), "weir.redis.enabled");
        checkFailure(
                noClient.withClassLoader(new FilteredClassLoader("org.springframework.data")), "weir.redis.enabled");
        checkFailure(noClient, "weir.redis.enabled");
        checkFailure(
                noClient.withBean("one", RedisClient.class, RedisClient::create)
                        .withBean("two", RedisClient.class, RedisClient::create),
                "weir.redis.client");
        checkFailure(noClient.withPropertyValues("weir.redis.client=nobody"), "weir.redis.client");
        checkFailure(
                noClient.withBean(RedisClient.class, RedisClient::create)
                        .withPropertyValues("weir.redis.expected-nodes=0"),
                "weir.redis.expected-nodes");
        checkFailure(
                noClient.withBean(RedisClient.class, RedisClient::create)
                        .withPropertyValues("weir.redis.keys-per-command=0"),
                "weir.redis.keys-per-command");
    }

    private static RunningApplication start(Class<?> application, String... properties) {
        return RunningApplication.start(application, RunningApplication.with(LIMITS, properties));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoints.class)
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoints.class)
    static class WithClient {

        @Bean(destroyMethod = "shutdown")
        RedisClient client(@Value("${own.port}") int port) {
            RedisURI address = RedisURI.create("127.0.0.1", port);
            address.setTimeout(ofSeconds(10));
            return RedisClient.create(address);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({EarlyUser.class, Factory.class, Endpoints.class})
    static class WithFactory {}

    @Configuration(proxyBeanMethods = false)
    static class EarlyUser {

        @Bean
        Supplier<Lease> taking(NamedLimits limits) {
            return limits.limiter("api")::tryAcquire;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Factory {

        @Bean
        RedisConnectionFactory factory(@Value("${own.port}") int port) {
            return new LettuceConnectionFactory("127.0.0.1", port);
        }
    }
}
