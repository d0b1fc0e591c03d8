package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Bounded waits for several limits of which one tells how long it takes, and another does not. */
class MaxWaitWithUnknownWaitTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(-7);
    private final List<Lease> answers = new ArrayList<>();
    private final List<Supplier<RateLimiter>> apart = List.of(
            () -> RateLimiter.chain(limiter(Limit.concurrency(1)), limiter(Limit.of(1, SECOND))),
            () -> RateLimiter.chain(limiter(Limit.of(1, SECOND)), limiter(Limit.concurrency(1))));
    private final List<Supplier<RateLimiter>> inOne = List.of(
            () -> limiter(Limit.allOf(Limit.concurrency(1), Limit.of(1, SECOND))),
            () -> limiter(Limit.allOf(Limit.of(1, SECOND).countingCalls(), Limit.concurrency(1))),
            () -> RateLimiter.chain(limiter(Limit.allOf(Limit.concurrency(1), Limit.of(1, SECOND)))),
            () -> RateLimiter.chain(RateLimiter.chain(
                    limiter(Limit.of(9, SECOND)), limiter(Limit.allOf(Limit.of(1, SECOND), Limit.concurrency(1))))),
            () -> RateLimiter.chain(keys(key -> Limit.allOf(Limit.concurrency(1), Limit.of(1, SECOND)))
                    .forKey(1)));
    private final List<Supplier<RateLimiter>> kinds =
            Stream.of(apart, inOne).flatMap(List::stream).toList();

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).timeSource(time).build();
    }

    private PartitionedRateLimiter<Integer> keys(Function<Integer, Limit> limits) {
        return PartitionedRateLimiter.builder(limits)
                .maximumKeys(2)
                .timeSource(time)
                .build();
    }

    @Test
    @DisplayName("a bounded wait shorter than the known part is refused at once, and told no time by a limiter of both")
    void tooShort() {
        assertRefusedAtOnceAndTold(inOne, Optional.empty());
    }

    @Test
    @DisplayName("a bounded wait shorter than that of the member that knows is refused at once, and told that member's")
    void tooShortForAMember() {
        assertRefusedAtOnceAndTold(apart, Optional.of(SECOND));
    }

    private void assertRefusedAtOnceAndTold(List<Supplier<RateLimiter>> kinds, Optional<Duration> told) {
        for (Supplier<RateLimiter> kind : kinds) {
            RateLimiter limiter = kind.get();
            Lease out = limiter.tryAcquire();
            limiter.acquire(1, SECOND.minusNanos(1), answers::add);
            assertThat(answers).singleElement().satisfies(refused -> {
                assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT);
                assertThat(refused.retryAfter()).isEqualTo(told);
            });
            out.close();
            answers.clear();
        }
    }

    @Test
    @DisplayName("a bounded wait longer than the known part lasts until the bound")
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

    @Test
    @DisplayName(
            "when there is room for a key is not known if a lease of another key may come back: that is waited for")
    void longEnoughForRoom() {
        PartitionedRateLimiter<Integer> keys =
                keys(key -> key == 1 ? Limit.concurrency(1) : Limit.of(1, SECOND.multipliedBy(9)));
        Lease ofAnotherKey = keys.tryAcquire(1, 1);
        keys.tryAcquire(2, 1);
        RateLimiter slot = limiter(Limit.concurrency(1));
        Lease out = slot.tryAcquire();
        RateLimiter.chain(slot, keys.forKey(3)).acquire(1, SECOND, answers::add);
        assertThat(answers).map(Lease::reason).isEmpty();
        ofAnotherKey.close();
        out.close();
        assertThat(answers).singleElement().matches(Lease::isAcquired);
    }
}
