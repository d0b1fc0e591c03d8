package dev.weir.rxjava;

import static java.time.Duration.ofSeconds;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a stream's downstream gives back to another limiter. */
class DownstreamReleasesTest {

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final RateLimiter bulkhead = RateLimiter.of(Limit.concurrency(1));

    @Test
    @DisplayName("a request that waits for downstream's permit is told at once, not when the stream ends")
    void tellsOthersAtOnce() {
        Lease held = bulkhead.tryAcquire();
        CompletableFuture<Lease> other = bulkhead.acquire();
        TestSubscriber<Boolean> told = Flowable.range(0, 4)
                .compose(RateLimit.of(2, ofSeconds(1)))
                .doOnNext(item -> {
                    if (item == 2) {
                        held.close();
                    }
                })
                .map(item -> other.isDone())
                .test();
        plugins.scheduler().advanceTimeBy(1, TimeUnit.SECONDS);
        told.assertResult(false, false, true, true);
    }
}
