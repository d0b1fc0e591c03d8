package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.scheduler.VirtualTimeScheduler;

/** What a stream's downstream gives back to another limiter. */
class DownstreamReleasesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTimeScheduler scheduler = VirtualTimeScheduler.getOrSet();
    private final RateLimiter bulkhead = RateLimiter.of(Limit.concurrency(1));

    @AfterEach
    void resetTime() {
        VirtualTimeScheduler.reset();
    }

    @Test
    @DisplayName("a request that waits for downstream's permit is told at once, not when the stream ends")
    void tellsOthersAtOnce() {
        Lease held = bulkhead.tryAcquire();
        CompletableFuture<Lease> other = bulkhead.acquire();
        List<Boolean> told = new ArrayList<>();
        Flux.range(0, 4).transform(RateLimit.of(2, SECOND)).subscribe(item -> {
            if (item == 2) {
                held.close();
            }
            told.add(other.isDone());
        });
        scheduler.advanceTimeBy(SECOND);
        assertThat(told).containsExactly(false, false, true, true);
    }
}
