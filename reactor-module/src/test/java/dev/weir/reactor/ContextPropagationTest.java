package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import io.micrometer.context.ContextRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.util.context.Context;

/** Thread locals that follow the context, on a limiter that streams of different contexts share. */
class ContextPropagationTest {

    private static final String KEY = "tenant";
    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    @BeforeEach
    void enable() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, TENANT);
        Hooks.enableAutomaticContextPropagation();
    }

    @AfterEach
    void disable() {
        Hooks.disableAutomaticContextPropagation();
        ContextRegistry.getInstance().removeThreadLocalAccessor(KEY);
    }

    @Test
    @DisplayName("downstream sees the thread locals of its own context, whoever's thread brings the permit")
    void eachStreamSeesItsOwn() {
        VirtualTimeSource time = new VirtualTimeSource();
        RateLimiter shared = RateLimiter.builder(Limit.of(1, Duration.ofSeconds(1)))
                .timeSource(time)
                .build();
        List<String> seen = new CopyOnWriteArrayList<>();
        for (String tenant : List.of("red", "blue")) {
            Flux.range(0, 3)
                    .transform(RateLimit.with(shared))
                    .doOnNext(i -> seen.add(tenant + " sees " + TENANT.get()))
                    .contextWrite(Context.of(KEY, tenant))
                    .subscribe();
        }
        for (int granted = 1; granted <= 6; granted++) {
            int expected = granted;
            Awaitility.await().until(() -> seen.size() >= expected);
            Awaitility.await().until(() -> expected == 6 || shared.statistics().queuedPermits() > 0);
            time.advanceBy(Duration.ofSeconds(1));
        }
        assertThat(seen).hasSize(6).allMatch(one -> one.equals("red sees red") || one.equals("blue sees blue"));
        assertThat(seen).contains("red sees red", "blue sees blue");
    }
}
