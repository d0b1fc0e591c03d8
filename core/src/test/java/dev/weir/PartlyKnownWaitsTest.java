package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Bounded waits for several limits of which one tells how long it takes, and another does not. */
class PartlyKnownWaitsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(-7);
    private final List<Lease> answers = new ArrayList<>();
    private final List<Supplier<RateLimiter>> kinds = List.of(
            () -> limiter(Limit.allOf(Limit.concurrency(1), Limit.of(1, SECOND))),
            () -> limiter(Limit.allOf(Limit.of(1, SECOND).countingCalls(), Limit.concurrency(1))),
            () -> RateLimiter.chain(limiter(Limit.concurrency(1)), limiter(Limit.of(1, SECOND))),
            () -> RateLimiter.chain(limiter(Limit.of(1, SECOND)), limiter(Limit.concurrency(1))),
            () -> RateLimiter.chain(limiter(Limit.allOf(Limit.concurrency(1), Limit.of(1, SECOND)))),
            () -> RateLimiter.chain(RateLimiter.chain(
                    limiter(Limit.of(9, SECOND)), limiter(Limit.allOf(Limit.of(1, SECOND), Limit.concurrency(1))))));

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).timeSource(time).build();
    }

    @Test
    @DisplayName("one that is too short for what is known is refused at once, and is not told when to come back")
    void tooShort() {
        for (Supplier<RateLimiter> kind : kinds) {
            RateLimiter limiter = kind.get();
            Lease out = limiter.tryAcquire();
            limiter.acquire(1, SECOND.minusNanos(1), answers::add);
            assertThat(answers).singleElement().satisfies(refused -> {
                assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT);
                assertThat(refused.retryAfter()).isEmpty();
            });
            out.close();
            answers.clear();
        }
    }

    @Test
    @DisplayName("one that is long enough waits for what is not known, to the bound if need be")
    void longEnough() {
        for (Supplier<RateLimiter> kind : kinds) {
            RateLimiter limiter = kind.get();
            Lease out = limiter.tryAcquire();
            limiter.acquire(1, SECOND, answers::add);
            PermitRequest longer = limiter.acquire(1, SECOND.multipliedBy(2), answers::add);
            time.advanceBy(SECOND.minusNanos(1));
            assertThat(answers).isEmpty();
            time.advanceBy(1);
            assertThat(answers)
                    .singleElement()
                    .satisfies(refused -> assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT));
            assertThat(longer.isSettled()).isFalse();
            out.close();
            assertThat(answers).hasSize(2);
            assertThat(answers.get(1).isAcquired()).isTrue();
            answers.get(1).close();
            answers.clear();
        }
    }
}
