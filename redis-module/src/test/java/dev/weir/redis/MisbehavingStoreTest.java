package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that does at first what nobody asked for, before it returns, in virtual time. */
class MisbehavingStoreTest {

    private static final Limit LIMIT = Limit.of(5, Duration.ofHours(1));

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final ModelStore model = new ModelStore(LIMIT, time);
    private int asked;

    private RateLimiter limiter(QueueOrder order, Store store) {
        return ModelFleet.builder(LIMIT, store, WhenUnavailable.LOCAL)
                .queueOrder(order)
                .timeSource(time)
                .build();
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("a waiting request is served when a store that grants nothing does, though none asks")
    void inVain(QueueOrder order) {
        RateLimiter limiter = limiter(order, (limit, question, listener) -> {
            asked++;
            if (asked <= 30) {
                listener.answered(new Answer(1, 0, 0, 1, 0, 0, 0, List.of()));
            } else {
                model.ask(limit, question, listener);
            }
        });
        CompletableFuture<Lease> waiting = limiter.acquire();
        time.advanceBy(Duration.ofMillis(10));
        assertThat(waiting).isCompletedWithValueMatching(lease -> lease.source() == DecisionSource.REMOTE);
        assertThat(asked).isEqualTo(31);
    }

    @Test
    @DisplayName("a store that fails with an error is asked again, and requests are decided alone meanwhile")
    void errors() {
        RateLimiter limiter = limiter(QueueOrder.OLDEST_FIRST, (limit, question, listener) -> {
            asked++;
            if (asked == 1) {
                throw new NoClassDefFoundError("on purpose");
            }
            model.ask(limit, question, listener);
        });
        assertThat(limiter.acquire()).isCompletedWithValueMatching(lease -> lease.source() == DecisionSource.FALLBACK);
        time.advanceBy(Duration.ofMillis(50));
        Lease unused = limiter.tryAcquire(0);
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.REMOTE);
    }

    @Test
    @DisplayName("a request that begins to wait during a probe is served by its answer")
    void lookedForMeanwhile() {
        List<RateLimiter> limiters = new ArrayList<>();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        limiters.add(limiter(QueueOrder.OLDEST_FIRST, (limit, question, listener) -> {
            asked++;
            if (asked == 1) {
                listener.failed(new IllegalStateException("gone"));
                return;
            }
            if (asked == 2) {
                waiting.add(limiters.get(0).acquire());
            }
            listener.answered(new Answer(1, question.one(), 0, 1, 0, 0, 0, List.of()));
        }));
        RateLimiter limiter = limiters.get(0);
        assertThat(limiter.tryAcquire(5).source()).isEqualTo(DecisionSource.FALLBACK);
        time.advanceBy(Duration.ofMillis(50));
        assertThat(limiter.tryAcquire().isAcquired()).isFalse();
        time.advanceBy(Duration.ofMillis(10));
        assertThat(waiting)
                .singleElement()
                .satisfies(one ->
                        assertThat(one).isCompletedWithValueMatching(lease -> lease.source() == DecisionSource.REMOTE));
    }
}
