package dev.weir.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;

/** Beside Spring Security: some rules come before it and some after it. */
public abstract class SecurityContract {

    @Test
    @DisplayName("rules by address come before anybody is authenticated, those by principal after that")
    void order() {
        String[] properties = {
            "weir.limits.common.period=1h",
            "weir.limits.per-address.base=common",
            "weir.limits.per-address.permits=5",
            "weir.limits.per-address.key=address",
            "weir.limits.per-user.base=common",
            "weir.limits.per-user.permits=2",
            "weir.limits.per-user.key=principal",
            "weir.limits.per-user.without-key=refuse",
            "weir.limits.annotated.base=common",
            "weir.limits.annotated.permits=1",
            "weir.http.rules[0].paths=/mine",
            "weir.http.rules[0].limits=per-user",
            "weir.http.rules[1].paths=/other",
            "weir.http.rules[1].limits=per-address"
        };
        try (RunningApplication application = RunningApplication.start(Application.class, properties)) {
            assertThat(statuses(application, "/other", "ann", "wrong", 6))
                    .as("guesses at a password are counted, although nobody is authenticated")
                    .containsExactly(401, 401, 401, 401, 401, 429);

            assertThat(statuses(application, "/mine", "ann", "wrong", 3))
                    .as("who is not authenticated gets no further than to Spring Security, which costs ann nothing")
                    .containsOnly(401);
            assertThat(statuses(application, "/mine", "ann", "secret", 3)).containsExactly(200, 200, 429);
            assertThat(statuses(application, "/mine", "bob", "secret", 3)).containsExactly(200, 200, 429);
        }
    }

    private static List<Integer> statuses(
            RunningApplication application, String path, String user, String password, int count) {
        return Stream.generate(() -> application
                        .get(path, headers -> headers.setBasicAuth(user, password))
                        .statusCode()
                        .value())
                .limit(count)
                .toList();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebFluxSecurity
    @Import(Endpoints.class)
    static class Application {

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(
                    User.withUsername("ann").password("{noop}secret").build(),
                    User.withUsername("bob").password("{noop}secret").build());
        }
    }
}
