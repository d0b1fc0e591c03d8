package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** When elements leave, in virtual time. */
class EmissionTimesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    @DisplayName("20 items at 5 a second: five at once, five a second later, and so on")
    void theTable() {
        List<Long> seconds = new ArrayList<>();
        StepVerifier.withVirtualTime(() -> Flux.range(1, 20)
                        .transform(RateLimit.of(5, SECOND))
                        .doOnNext(item -> seconds.add(Schedulers.parallel().now(TimeUnit.SECONDS))))
                .thenAwait(Duration.ofSeconds(3))
                .expectNextCount(20)
                .verifyComplete();
        assertThat(seconds)
                .isEqualTo(IntStream.range(0, 20).mapToObj(i -> (long) (i / 5)).toList());
    }

    @Test
    @DisplayName("items of a source that cannot be fused leave at the same times")
    void theTableWithoutFusion() {
        StepVerifier.withVirtualTime(() -> Flux.range(1, 20).hide().transform(RateLimit.of(Limit.of(5, SECOND))))
                .expectSubscription()
                .expectNext(1, 2, 3, 4, 5)
                .expectNoEvent(Duration.ofNanos(999_999_999))
                .thenAwait(Duration.ofNanos(1))
                .expectNext(6, 7, 8, 9, 10)
                .expectNoEvent(Duration.ofNanos(999_999_999))
                .thenAwait(Duration.ofNanos(1))
                .expectNext(11, 12, 13, 14, 15)
                .expectNoEvent(Duration.ofNanos(999_999_999))
                .thenAwait(Duration.ofNanos(1))
                .expectNext(16, 17, 18, 19, 20)
                .verifyComplete();
    }
}
