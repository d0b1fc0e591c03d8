package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is lost by rounding the cost of a permit to whole units. */
class BucketPaceTest {

    private static final double A_NANOSECOND = 1e-3;
    private static final List<Duration> PERIODS = List.of(
            Duration.ofNanos(1_000_003),
            Duration.ofSeconds(1).dividedBy(7),
            Duration.ofDays(1).dividedBy(7));

    @ParameterizedTest
    @ValueSource(ints = {1, 1_000, 1_000_000, 100_000_000, 1_000_000_000, Integer.MAX_VALUE})
    @DisplayName(
            "a bucket is never faster than its limit, and late by a microsecond in each period, or by two millionths")
    void late(int permits) {
        for (Duration period : PERIODS) {
            BucketPace pace = BucketPace.of(Limit.tokenBucket(permits, permits, period), period, permits, permits);
            double micros = period.toNanos() / 1e3;
            double perPeriod = (double) pace.cost() / pace.unitsPerMicro() * permits;
            assertThat(perPeriod - micros)
                    .as("%s in %s: %s", permits, period, pace)
                    .isBetween(-A_NANOSECOND, Math.max(1 + A_NANOSECOND, 2e-6 * micros));
        }
    }
}
