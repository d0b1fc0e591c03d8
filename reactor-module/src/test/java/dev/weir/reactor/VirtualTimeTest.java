package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Which limiters follow virtual time. */
class VirtualTimeTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private static void passesInTwoHours(Supplier<Flux<Integer>> three) {
        StepVerifier.withVirtualTime(three)
                .expectNext(1)
                .expectNoEvent(HOUR.minusNanos(1))
                .thenAwait(Duration.ofNanos(1))
                .expectNext(2)
                .expectNoEvent(HOUR.minusNanos(1))
                .thenAwait(Duration.ofNanos(1))
                .expectNext(3)
                .verifyComplete();
    }

    @Test
    @DisplayName("own limiters: also those of a flux assembled before virtual time began")
    void ownLimiter() {
        Flux<Integer> before = Flux.range(1, 3).transform(RateLimit.of(1, HOUR));
        passesInTwoHours(() -> before);
        passesInTwoHours(() -> before);
        passesInTwoHours(() -> Flux.range(1, 3)
                .transform(
                        RateLimit.of(Limit.of(1, HOUR), StreamOptions.defaults().prefetch(16))));
    }

    @Test
    @DisplayName("the own limiter of a mono: under one virtual time, the next, and none, each time anew")
    void ownLimiterOfMono() {
        Mono<Integer> call = Mono.just(1).transform(RateLimit.of(2, HOUR));
        Supplier<Flux<Integer>> calls = () -> call.repeat(2);
        for (int time = 0; time < 2; time++) {
            StepVerifier.withVirtualTime(calls)
                    .expectNext(1, 1)
                    .expectNoEvent(HOUR.minusNanos(1))
                    .thenAwait(Duration.ofNanos(1))
                    .expectNext(1)
                    .expectComplete()
                    .verify(LONGEST);
            assertThat(call.repeat(1).collectList().block(LONGEST)).containsExactly(1, 1);
        }
    }

    @Test
    @DisplayName("the own limiter of a mono in real time, after virtual time: calls wait there, and share it")
    void ownLimiterOfMonoAfterVirtualTime() {
        Mono<Integer> call = Mono.just(1).transform(RateLimit.of(1, Duration.ofMillis(20)));
        StepVerifier.withVirtualTime(() -> call).expectNext(1).expectComplete().verify(LONGEST);
        long began = System.nanoTime();
        assertThat(Flux.merge(call, call, call).collectList().block(LONGEST)).containsExactly(1, 1, 1);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(40));
    }

    @Test
    @DisplayName("a shared limiter made inside the supplier on ReactorTime")
    void sharedLimiterInside() {
        passesInTwoHours(() -> {
            RateLimiter limiter = RateLimiter.builder(Limit.of(1, HOUR))
                    .timeSource(ReactorTime.of(Schedulers.parallel()))
                    .build();
            return Flux.concat(
                    Flux.range(1, 2).transform(RateLimit.with(limiter)),
                    Mono.just(3).transform(RateLimit.with(limiter)));
        });
    }

    @Test
    @DisplayName("a shared limiter made outside, on a virtual scheduler that the verifier is given")
    void sharedLimiterOutside() {
        VirtualTimeScheduler virtual = VirtualTimeScheduler.create();
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, HOUR))
                .timeSource(ReactorTime.of(virtual))
                .build();
        StepVerifier.withVirtualTime(
                        () -> Flux.range(1, 3).transform(RateLimit.with(limiter)), () -> virtual, Long.MAX_VALUE)
                .expectNext(1)
                .expectNoEvent(HOUR.minusNanos(1))
                .thenAwait(Duration.ofNanos(1))
                .expectNext(2)
                .thenAwait(HOUR)
                .expectNext(3)
                .verifyComplete();
    }

    @Test
    @DisplayName("a shared limiter of real time works inside virtual time, and takes real time")
    void sharedLimiterOfRealTime() {
        RateLimiter limiter = RateLimiter.of(1, Duration.ofMillis(20));
        long began = System.nanoTime();
        StepVerifier.withVirtualTime(() -> Flux.range(1, 3).transform(RateLimit.with(limiter)))
                .expectNext(1, 2, 3)
                .expectComplete()
                .verify(Duration.ofSeconds(5));
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(40));
    }
}
