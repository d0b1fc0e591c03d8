package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that answers before the call that asks it has returned, in virtual time. */
class AnsweredAtOnceTest {

    private static final Limit LIMIT = Limit.of(20, Duration.ofHours(1));

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private boolean isGone;

    private Store toModel(ModelStore model) {
        return (limit, question, listener) -> {
            if (isGone) {
                listener.failed(new IllegalStateException("gone"));
            } else {
                model.ask(limit, question, listener);
            }
        };
    }

    /** A limiter of twenty nodes. */
    private RateLimiter limiter(Store store, QueueOrder order) {
        return ModelFleet.builder(LIMIT, store, ModelFleet.settings(WhenUnavailable.LOCAL, 20))
                .queueOrder(order)
                .timeSource(time)
                .build();
    }

    /** A limiter that has admitted its share, so that requests of this node wait. */
    private RateLimiter alone(QueueOrder order) {
        isGone = true;
        RateLimiter limiter = limiter(toModel(new ModelStore(LIMIT, time)), order);
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        return limiter;
    }

    /** A look of somebody else probes the store, which is back. */
    private void isBack(RateLimiter limiter) {
        time.advanceBy(Duration.ofMillis(200));
        isGone = false;
        assertThat(limiter.availablePermits()).isNotNegative();
        time.advanceBy(Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("a request that waited for the share is served by the store when an answer at once ends the outage")
    void endOfAnOutage(QueueOrder order) {
        RateLimiter limiter = alone(order);
        CompletableFuture<Lease> waiting = limiter.acquire();
        isBack(limiter);
        assertThat(waiting).isCompletedWithValueMatching(lease -> lease.source() == DecisionSource.REMOTE);
    }

    @ParameterizedTest
    @EnumSource(QueueOrder.class)
    @DisplayName("and so is one for zero permits")
    void endOfAnOutageForAProbe(QueueOrder order) {
        RateLimiter limiter = alone(order);
        CompletableFuture<Lease> waiting = limiter.acquire(0);
        isBack(limiter);
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
    }

    static Stream<Arguments> ordersAndPermits() {
        return Stream.of(QueueOrder.values()).flatMap(order -> Stream.of(arguments(order, 0), arguments(order, 1)));
    }

    @ParameterizedTest
    @MethodSource("ordersAndPermits")
    @DisplayName(
            "a request that waits for as long as the store has told is served by the share when a failure at once begins an outage")
    void beginOfAnOutage(QueueOrder order, int permits) {
        ModelStore model = new ModelStore(LIMIT, time);
        RateLimiter other = limiter(model, QueueOrder.OLDEST_FIRST);
        assertThat(other.acquire(20)).isCompletedWithValueMatching(Lease::isAcquired);
        RateLimiter limiter = limiter(toModel(model), order);
        CompletableFuture<Lease> waiting = limiter.acquire(permits);
        time.advanceBy(Duration.ofMillis(500));
        assertThat(waiting).isNotDone();
        isGone = true;
        assertThat(limiter.availablePermits()).isNotNegative();
        time.advanceBy(Duration.ofSeconds(2));
        assertThat(waiting).isCompletedWithValueMatching(lease -> lease.source() == DecisionSource.FALLBACK);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a permit fetched for a request that has just left goes back soon, whether the answer comes at once")
    void leftMeanwhile(boolean isAtOnce) {
        List<Runnable> later = new ArrayList<>();
        List<PermitRequest> leaving = new ArrayList<>();
        List<Question> asked = new ArrayList<>();
        Store store = (limit, question, listener) -> {
            asked.add(question);
            Runnable answer = () -> {
                int granted = question.one() > 0 && !leaving.isEmpty() ? 2 : 0;
                if (granted > 0) {
                    assertThat(leaving.remove(0).cancel()).isTrue();
                }
                long wait = question.one() > 0 && granted == 0 ? Answer.UNKNOWN : 0;
                listener.answered(new Answer(1, granted, wait, 0, -1, -1, -1, List.of()));
            };
            if (isAtOnce) {
                answer.run();
            } else {
                later.add(answer);
            }
        };
        NodeSettings settings = new TestSettings().pollNanos(100_000_000).build();
        RateLimiter limiter = ModelFleet.builder(Limit.concurrency(2), store, settings)
                .timeSource(time)
                .build();
        List<Lease> granted = new ArrayList<>();
        limiter.acquire(1, granted::add);
        PermitRequest second = limiter.acquire(1, granted::add);
        passes(250, later);
        leaving.add(second);
        passes(320, later);
        assertThat(granted).hasSize(1);
        assertThat(asked.get(asked.size() - 1).heldPermits()).isEqualTo(1);
    }

    private void passes(int millis, List<Runnable> answers) {
        for (int each = 0; each < millis; each++) {
            List<Runnable> now = List.copyOf(answers);
            answers.clear();
            now.forEach(Runnable::run);
            time.advanceBy(Duration.ofMillis(1));
        }
    }
}
