package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A timer that can have no thread throws an error, which must leave nobody waiting and reach nobody's thread. */
class TimerWithoutThreadTest {

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final ManualStore store = new ManualStore(new ModelStore(Limit.concurrency(2), time));
    private boolean noThread;

    private final RateLimiter limiter = ModelFleet.builder(Limit.concurrency(2), store, settings())
            .timeSource(new TimeSource() {

                @Override
                public long nanoTime() {
                    return time.nanoTime();
                }

                @Override
                public Cancellable schedule(Runnable task, long delayNanos) {
                    if (noThread) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    return time.schedule(task, delayNanos);
                }
            })
            .build();

    @Test
    @DisplayName("a question without a deadline is none: who asked hears that the store is unavailable")
    void noDeadline() {
        noThread = true;
        CompletableFuture<Lease> asked = limiter.acquire();
        await().untilAsserted(() -> assertThat(asked)
                .isCompletedWithValueMatching(
                        lease -> lease.reason().equals(Optional.of(RefusalReason.BACKEND_UNAVAILABLE))));
    }

    @Test
    @DisplayName("an answer that no timer passes on is passed on all the same")
    void answered() {
        CompletableFuture<Lease> asked = limiter.acquire();
        assertThat(asked).isNotDone();
        noThread = true;
        store.answer();
        await().untilAsserted(() -> assertThat(asked).isCompletedWithValueMatching(Lease::isAcquired));
    }

    @Test
    @DisplayName("a lease is renewed from the next answer on, once there is a thread again")
    void renewedLater() {
        CompletableFuture<Lease> first = limiter.acquire();
        noThread = true;
        store.answer();
        await().untilAsserted(() -> assertThat(first).isCompletedWithValueMatching(Lease::isAcquired));
        noThread = false;
        CompletableFuture<Lease> second = limiter.acquire();
        store.answer();
        time.advanceBy(Duration.ZERO);
        assertThat(second).isCompletedWithValueMatching(Lease::isAcquired);
        int before = store.asked.size();
        time.advanceBy(Duration.ofSeconds(1));
        assertThat(store.asked).hasSizeGreaterThan(before);
        assertThat(store.latest().heldPermits()).isEqualTo(2);
    }

    private static NodeSettings settings() {
        return new TestSettings()
                .aheadNanos(250_000_000)
                .renewNanos(1_000_000_000)
                .whenUnavailable(WhenUnavailable.REFUSE)
                .build();
    }
}
