package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The longest period is allowed and works; a nanosecond more is not. */
class LongestPeriodsTest {

    private static final Duration LONGEST = Duration.ofNanos(Arguments.MAX_PERIOD_NANOS);
    private static final Duration TOO_LONG = LONGEST.plusNanos(1);

    static Stream<Function<Duration, Limit>> limits() {
        return Stream.of(
                period -> Limit.slidingWindowLog(1, period),
                period -> Limit.slidingWindow(1, period, 1),
                period -> Limit.slidingWindowCounter(1, period),
                period -> Limit.fixedWindow(1, period),
                period -> Limit.leakyBucket(1, period),
                period -> Limit.tokenBucket(1, 1, period),
                period -> Limit.tokenBucket(1, 1, period).refillingInSteps());
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("the longest period is allowed, and one permit keeps the next away for as long")
    void longestPeriod(Function<Duration, Limit> limit) {
        for (long origin : PolicyTraces.ORIGINS) {
            PermitPolicy policy = limit.apply(LONGEST).newPolicy(origin);
            assertThat(policy.tryTake(1, origin)).isEqualTo(PermitPolicy.TAKEN);
            long wait = policy.tryTake(1, origin);
            assertThat(wait).isGreaterThanOrEqualTo(LONGEST.toNanos());
            assertThat(policy.tryTake(1, origin + wait - 1)).isEqualTo(1);
            assertThat(policy.tryTake(1, origin + wait)).isEqualTo(PermitPolicy.TAKEN);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limit.apply(TOO_LONG))
                .withMessageContaining(TOO_LONG.toString());
    }

    /** All but the counter, where the window before still weighs. */
    static Stream<Function<Duration, Limit>> limitsThatForget() {
        return limits().filter(limit -> !(limit.apply(LONGEST) instanceof SlidingWindowCounter));
    }

    @ParameterizedTest
    @MethodSource("limitsThatForget")
    @DisplayName("a permit charged on top of one keeps the next away for two periods, until it comes back")
    void debtOfLongPeriods(Function<Duration, Limit> limit) {
        owesTwoPeriods(limit, LONGEST.dividedBy(2));
        owesTwoPeriods(limit, LONGEST.dividedBy(3));
    }

    @Test
    @DisplayName("a limit that remembers places owes two periods, however long its period")
    void debtOfTheLongestPeriods() {
        for (Duration period : new Duration[] {LONGEST, LONGEST.dividedBy(2).plusNanos(5)}) {
            owesTwoPeriods(longest -> Limit.slidingWindowLog(1, longest), period);
            owesTwoPeriods(longest -> Limit.slidingWindow(1, longest, 1), period);
            owesTwoPeriods(longest -> Limit.tokenBucket(1, 1, longest), period);
        }
    }

    private static void owesTwoPeriods(Function<Duration, Limit> limit, Duration period) {
        PermitPolicy policy = limit.apply(period).newPolicy(-7);
        policy.charge(1, -7);
        policy.charge(1, -7);
        assertThat(policy.tryTake(1, -7)).isEqualTo(2 * period.toNanos());
        policy.giveBack(1, -7, -7);
        assertThat(policy.tryTake(1, -7)).isEqualTo(period.toNanos());
    }

    @Test
    @DisplayName("waits are told as long as they can be counted, and end where counting does")
    void waitsBeyondCounting() {
        for (long origin : PolicyTraces.ORIGINS) {
            PermitPolicy policy = Limit.slidingWindowLog(1, LONGEST).newPolicy(origin);
            assertThat(policy.nanosUntil(0, 1, origin)).isZero();
            policy.tryTake(1, origin);
            for (int permits = 1; permits <= 4; permits++) {
                assertThat(policy.nanosUntil(permits - 1, 1, origin)).isEqualTo(permits * LONGEST.toNanos());
            }
            for (long permits : new long[] {5, 8, 9, 1L << 40, Long.MAX_VALUE}) {
                assertThat(policy.nanosUntil(permits - 1, 1, origin)).isEqualTo(PermitPolicy.AWAIT_SIGNAL - 1);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("permits without number never come, but are no reason to wait for a signal")
    void permitsWithoutNumber(Function<Duration, Limit> limit) {
        for (long origin : PolicyTraces.ORIGINS) {
            PermitPolicy policy = limit.apply(LONGEST).newPolicy(origin);
            assertThat(policy.nanosUntil(Long.MAX_VALUE - 1, 1, origin)).isEqualTo(PermitPolicy.AWAIT_SIGNAL - 1);
            assertThat(policy.nanosUntil(Long.MAX_VALUE - 1, 1, origin - 5)).isEqualTo(PermitPolicy.AWAIT_SIGNAL - 1);
        }
    }

    @Test
    @DisplayName("a burst may not take longer than that to come back")
    void longestBurst() {
        assertThat(Limit.tokenBucket(6, 6, LONGEST).capacity()).isEqualTo(6);
        assertThatIllegalArgumentException().isThrownBy(() -> Limit.tokenBucket(7, 6, LONGEST));
        assertThat(Limit.leakyBucket(3, LONGEST).withSlack(2).slack()).isEqualTo(2);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Limit.leakyBucket(3, LONGEST).withSlack(3));
    }

    @Test
    @DisplayName("an unlimited policy has every permit from the beginning")
    void unlimited() {
        PermitPolicy policy = Limit.unlimited().newPolicy(-5);
        assertThat(policy.tryTake(Integer.MAX_VALUE, -5)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.available(0)).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.capacity()).isEqualTo(Integer.MAX_VALUE);
        assertThat(Limit.unlimited().capacity()).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.nanosSinceFull(12)).isEqualTo(17);
    }

    @Test
    @DisplayName("leases bring back what time does not")
    void concurrency() {
        PermitPolicy policy = Limit.concurrency(3).newPolicy(100);
        assertThat(policy.nanosSinceFull(130)).isEqualTo(30);
        assertThat(policy.tryTake(2, 100)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.nanosUntil(0, 1, 100)).isZero();
        assertThat(policy.nanosUntil(1, 1, 100)).isEqualTo(PermitPolicy.AWAIT_SIGNAL);
        assertThat(policy.nanosUntil(Long.MAX_VALUE - 1, 1, 100)).isEqualTo(PermitPolicy.AWAIT_SIGNAL);
        policy.release(2, 200);
        assertThat(policy.nanosSinceFull(230)).isEqualTo(30);
    }
}
