package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a limit grants after a thread whose clock is late has changed it, beside one that was changed in time. */
class ChangedByALateClockLawsTest {

    private static final int SEEDS = 500;

    private static final Duration PERIOD = Duration.ofNanos(1000);

    /**
     * Limits that differ in their period.
     *
     * @param inPeriod how many permits flow in within a period; zero if a change counts from the latest take, whoever makes it
     */
    private record Kind(Function<Duration, Limit> of, int inPeriod) {

        /** The most that flows in within so much time. */
        long flowIn(Duration period, long nanos) {
            return (inPeriod * nanos + period.toNanos() - 1) / period.toNanos();
        }

        @Override
        public String toString() {
            return of.apply(PERIOD).toString();
        }
    }

    static Stream<Kind> kinds() {
        return Stream.of(
                new Kind(period -> Limit.of(1, period), 0),
                new Kind(period -> Limit.of(9, period), 0),
                new Kind(period -> Limit.slidingWindow(8, period, 4), 0),
                new Kind(period -> Limit.tokenBucket(4, 3, period), 3),
                new Kind(period -> Limit.leakyBucket(5, period), 5),
                new Kind(period -> Limit.leakyBucket(5, period).withSlack(2), 5));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    @DisplayName(
            "no more is available than if it had been changed in time; in a bucket, what flows in between the two times is")
    void available(Kind kind) {
        for (long origin : PolicyTraces.ORIGINS) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                SplittableRandom random = new SplittableRandom(seed);
                Limit limit = kind.of().apply(PERIOD);
                PermitPolicy late = limit.newPolicy(origin);
                PermitPolicy inTime = limit.newPolicy(origin);
                long last = origin;
                long now = origin;
                for (int step = 0; step < 20; step++) {
                    now += random.nextInt(400);
                    int permits = 1 + random.nextInt(limit.capacity());
                    long wait = late.tryTake(permits, now);
                    assertThat(inTime.tryTake(permits, now)).isEqualTo(wait);
                    last = wait == PermitPolicy.TAKEN ? now : last;
                }
                Duration period = Duration.ofNanos(1L + random.nextInt(3000));
                long lateness = random.nextInt(1500);
                late.reconfigure(kind.of().apply(period), last - lateness);
                inTime.reconfigure(kind.of().apply(period), last);
                for (long at : new long[] {last, last + 1, last + random.nextInt(3000)}) {
                    assertThat(late.available(at))
                            .as(
                                    "from %s, seed %s, %s, changed %s late, %s after",
                                    origin, seed, period, lateness, at - last)
                            .isLessThanOrEqualTo(inTime.available(at) + kind.flowIn(period, lateness));
                }
            }
        }
    }

    @Test
    @DisplayName("a bucket that is made faster before its last take grants a full limit more")
    void bucket() {
        PermitPolicy policy = Limit.tokenBucket(10, 1, Duration.ofNanos(10)).newPolicy(0);
        assertThat(policy.tryTake(10, 100)).isEqualTo(PermitPolicy.TAKEN);
        policy.reconfigure(Limit.tokenBucket(10, 10, Duration.ofNanos(10)), 50);
        assertThat(policy.tryTake(10, 100)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 100)).isEqualTo(1);
    }

    @Test
    @DisplayName("a window that resets and is made shorter before its last take grants a full limit more")
    void window() {
        resets(period -> Limit.fixedWindow(10, period));
        resets(period -> Limit.tokenBucket(10, 10, period).refillingInSteps());
    }

    private static void resets(Function<Duration, Limit> limit) {
        PermitPolicy policy = limit.apply(Duration.ofNanos(100)).newPolicy(0);
        assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(9, 90)).isEqualTo(PermitPolicy.TAKEN);
        policy.reconfigure(limit.apply(Duration.ofNanos(20)), 60);
        assertThat(policy.tryTake(10, 90)).isEqualTo(PermitPolicy.TAKEN);
        assertThat(policy.tryTake(1, 90)).isPositive();
    }
}
