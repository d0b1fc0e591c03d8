package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may not wait for ever, at a chain: what comes at the last moment is in time, and what does not come keeps nobody. */
class ChainDeadlinesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(Long.MAX_VALUE - 7);
    private final List<Lease> answers = new ArrayList<>();

    /** Free after a second, so that a chain goes on from here to the next one while the bound is running. */
    private final RateLimiter sooner = exhausted(Limit.of(2, SECOND), time);

    private static RateLimiter exhausted(Limit limit, TimeSource time) {
        RateLimiter limiter = RateLimiter.builder(limit).timeSource(time).build();
        limiter.tryAcquire(limit.capacity());
        return limiter;
    }

    private RateLimiter later() {
        return exhausted(Limit.of(2, SECOND.multipliedBy(2)), time);
    }

    private RateLimiter laterOfAKey() {
        RateLimiter ofKey = PartitionedRateLimiter.<String>builder(key -> Limit.of(2, SECOND.multipliedBy(2)))
                .timeSource(time)
                .build()
                .forKey("a");
        ofKey.tryAcquire(2);
        return ofKey;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    @DisplayName("a wait at one member and then at another that is together as long as the bound fits")
    void asLongAsTheBound(int permits) {
        List<Supplier<RateLimiter>> kinds = List.of(this::later, this::laterOfAKey);
        for (Supplier<RateLimiter> later : kinds) {
            RateLimiter chain = RateLimiter.chain(exhausted(Limit.of(2, SECOND), time), later.get());
            chain.acquire(permits, SECOND.multipliedBy(2), answers::add);
            time.advanceBy(SECOND.multipliedBy(2).minusNanos(1));
            assertThat(answers).isEmpty();
            time.advanceBy(1);
            assertThat(answers).singleElement().matches(Lease::isAcquired);
            assertThat(chain.statistics()).isEqualTo(new RateLimiterStatistics(2 - permits, 0, 1, 0));
            assertThat(time.pendingTasks()).isZero();
            answers.clear();
        }
    }

    @Test
    @DisplayName("a request behind the first of a chain is granted at its last moment, too")
    void onesBehind() {
        RateLimiter chain = RateLimiter.chain(sooner, later());
        chain.acquire(1, SECOND.multipliedBy(2), answers::add);
        chain.acquire(1, SECOND.multipliedBy(2), answers::add);
        time.advanceBy(SECOND);
        sooner.charge(1);
        time.advanceBy(SECOND);
        assertThat(answers).hasSize(2).allMatch(Lease::isAcquired);

        chain.acquire(1, SECOND.multipliedBy(2), answers::add);
        time.advanceBy(SECOND.multipliedBy(2));
        assertThat(answers).hasSize(3).allMatch(Lease::isAcquired);
    }

    @Test
    @DisplayName("a request of a chain is granted at its last moment behind others due then at a member")
    void onesAheadAtAnotherMember() {
        RateLimiter last = later();
        RateLimiter chain = RateLimiter.chain(sooner, later(), last);
        chain.acquire(1, SECOND.multipliedBy(2), answers::add);
        last.acquire(1, answers::add);
        time.advanceBy(SECOND.multipliedBy(2));
        assertThat(answers).hasSize(2).allMatch(Lease::isAcquired);
    }

    @Test
    @DisplayName("a request of a chain is refused if its last moment brings nothing, others at their own")
    void nothingComes() {
        RateLimiter full = exhausted(Limit.concurrency(1), time);
        RateLimiter chain = RateLimiter.chain(sooner, full);
        for (int seconds : new int[] {2, 2, 3}) {
            chain.acquire(1, SECOND.multipliedBy(seconds), answers::add);
        }
        time.advanceBy(SECOND.multipliedBy(2).minusNanos(1));
        assertThat(answers).isEmpty();
        time.advanceBy(1);
        assertThat(answers).hasSize(2);
        time.advanceBy(SECOND.minusNanos(1));
        assertThat(answers).hasSize(2);
        time.advanceBy(1);
        assertThat(answers)
                .hasSize(3)
                .allSatisfy(refused -> assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT));
        assertThat(full.statistics().queuedPermits()).isZero();
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName(
            "members that share a limiter unseen are asked once more at the last moment, not only every millisecond")
    void betweenTwoAttempts() {
        RateLimiter shared =
                RateLimiter.builder(Limit.of(2, SECOND)).timeSource(time).build();
        shared.tryAcquire();
        time.advanceBy(Duration.ofNanos(500_000));
        RateLimiter.chain(shared, new ForeignLimiter(shared)).acquire(1, Duration.ofNanos(999_900_000), answers::add);
        time.advanceBy(Duration.ofNanos(999_900_000 - 1));
        assertThat(answers).isEmpty();
        time.advanceBy(1);
        assertThat(answers).singleElement().matches(Lease::isAcquired);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a member that fails when it is looked at keeps nobody beyond his time")
    void failingMember() {
        List<Error> failures = new ArrayList<>();
        TimeSource breaking = new DelegatingTime(time) {
            @Override
            public long nanoTime() {
                if (!failures.isEmpty()) {
                    throw failures.get(0);
                }
                return super.nanoTime();
            }
        };
        RateLimiter chain = RateLimiter.chain(sooner, exhausted(Limit.of(1, SECOND.multipliedBy(9)), breaking));
        chain.acquire(1, SECOND.multipliedBy(9), answers::add);
        time.advanceBy(SECOND.multipliedBy(9).minusNanos(1));
        failures.add(new AssertionError("on purpose"));
        assertThatThrownBy(() -> time.advanceBy(1)).hasMessage("on purpose");
        assertThat(answers)
                .singleElement()
                .satisfies(refused -> assertThat(refused.isAcquired()).isFalse());
    }
}
