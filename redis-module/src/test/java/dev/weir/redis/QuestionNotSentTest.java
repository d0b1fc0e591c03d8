package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that cannot be asked says so at once: so the very request that would have asked it is decided alone, on a clock that goes on. */
class QuestionNotSentTest {

    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));

    /** No two readings are the same. */
    private static final class GoingOn implements TimeSource {

        private final VirtualTimeSource time = new VirtualTimeSource(-1);
        private long readings;

        @Override
        public long nanoTime() {
            return time.nanoTime() + ++readings;
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            return time.schedule(task, delayNanos);
        }
    }

    private final Node node = Nodes.node();

    private RateLimiter limiter(WhenUnavailable choice) {
        NodeSettings settings = ModelFleet.settings(choice, 1);
        return ModelFleet.builder(
                        LIMIT,
                        (limit, question, listener) -> listener.failed(new IllegalStateException("refused")),
                        node,
                        settings)
                .timeSource(new GoingOn())
                .build();
    }

    private static void check(WhenUnavailable choice, Lease lease) {
        assertThat(lease.source()).isEqualTo(DecisionSource.FALLBACK);
        assertThat(lease.isAcquired()).isEqualTo(choice != WhenUnavailable.REFUSE);
        if (choice == WhenUnavailable.REFUSE) {
            assertThat(lease.reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        }
    }

    @ParameterizedTest
    @EnumSource(WhenUnavailable.class)
    @DisplayName("a request is decided by the choice the first time a store cannot be asked")
    void theFirstTime(WhenUnavailable choice) {
        for (int limiters = 0; limiters < 5; limiters++) {
            check(choice, limiter(choice).tryAcquire());
            assertThat(limiter(choice).acquire()).isCompletedWithValueMatching(lease -> {
                check(choice, lease);
                return true;
            });
        }
    }

    @Test
    @DisplayName(
            "a request that is granted while a probe of the store is due probes once, also where what it holds is to be told")
    void looksOnce() {
        VirtualTimeSource time = new VirtualTimeSource(-1);
        AtomicInteger asked = new AtomicInteger();
        RateLimiter limiter = ModelFleet.builder(
                        Limit.concurrency(4),
                        (limit, question, listener) -> {
                            asked.incrementAndGet();
                            listener.failed(new IllegalStateException("refused"));
                        },
                        node,
                        ModelFleet.SETTINGS)
                .timeSource(time)
                .build();
        check(WhenUnavailable.LOCAL, limiter.tryAcquire());
        assertThat(asked).hasValue(1);
        time.advanceBy(Duration.ofMillis(50));
        check(WhenUnavailable.LOCAL, limiter.tryAcquire());
        assertThat(asked).hasValue(2);
    }
}
