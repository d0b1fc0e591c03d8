package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.limit.TokenBucket;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FleetTermsTest {

    private static final Duration PERIOD = Duration.ofMinutes(1);

    private static final List<LeakyBucket> LEAKY_BUCKETS = List.of(
            Limit.leakyBucket(60, PERIOD),
            Limit.leakyBucket(60, PERIOD).withSlack(7),
            Limit.leakyBucket(1, PERIOD).withSlack(59),
            Limit.leakyBucket(700, PERIOD).withSlack(Integer.MAX_VALUE));

    @Test
    @DisplayName("what is available when a limit is full is what its policy then has, whatever the kind")
    void whenFull() {
        assertWhenFull(Limit.of(10, PERIOD));
        assertWhenFull(Limit.slidingWindow(10, PERIOD, 5));
        assertWhenFull(Limit.slidingWindowCounter(10, PERIOD));
        assertWhenFull(Limit.fixedWindow(10, PERIOD));
        assertWhenFull(Limit.tokenBucket(10, 3, PERIOD));
        assertWhenFull(Limit.tokenBucket(10, 3, PERIOD).refillingInSteps());
        assertWhenFull(Limit.concurrency(10));
        assertWhenFull(Limit.of(10, PERIOD).countingCalls());
        assertWhenFull(Limit.unlimited());
        assertWhenFull(Limit.allOf(Limit.unlimited(), Limit.of(10, PERIOD)));
        LEAKY_BUCKETS.forEach(FleetTermsTest::assertWhenFull);
        for (LeakyBucket bucket : LEAKY_BUCKETS) {
            assertWhenFull(bucket.countingCalls());
            assertWhenFull(Limit.allOf(Limit.of(10, PERIOD), bucket));
            assertWhenFull(Limit.allOf(Limit.of(10, PERIOD), bucket.countingCalls()));
            assertWhenFull(
                    Limit.allOf(bucket, Limit.of(3, PERIOD).countingCalls()).countingCalls());
            assertWhenFull(Limit.allOf(bucket, Limit.allOf(Limit.of(3, PERIOD).countingCalls(), Limit.of(9, PERIOD))));
            assertWhenFull(
                    Limit.allOf(bucket.countingCalls(), Limit.concurrency(3).countingCalls()));
        }
    }

    private static void assertWhenFull(Limit limit) {
        assertThat(terms(limit).whenFull())
                .as("%s", limit)
                .isEqualTo(limit.newPolicy(-1).available(-1));
    }

    @Test
    @DisplayName("the period of a leaky bucket is how long the most that it grants at once counts")
    void periodOfALeakyBucket() {
        for (LeakyBucket bucket : LEAKY_BUCKETS.subList(0, 3)) {
            PermitPolicy policy = bucket.newPolicy(-1);
            for (int i = 0; i < bucket.slack(); i++) {
                assertThat(policy.tryTake(1, -1)).isZero();
            }
            assertThat(policy.tryTake(bucket.permits(), -1)).isZero();
            assertThat(terms(bucket).periodNanos()).as("%s", bucket).isEqualTo(policy.nanosUntilFull(-1));
        }
    }

    @Test
    @DisplayName(
            "the period of a bucket is exact, also where the permits and the period multiplied have more bits than a long")
    void periodOfALargeBucket() {
        int most = Integer.MAX_VALUE;
        Duration longest = Duration.ofNanos((1L << 61) - 1);
        assertPeriod(Limit.tokenBucket(most, most - 1, longest.dividedBy(2)), most, most - 1);
        assertPeriod(Limit.tokenBucket(most - 7, most, longest), most - 7, most);
        assertPeriod(Limit.tokenBucket(1000, 7, Duration.ofNanos(1_000_000_007)), 1000, 7);
        assertPeriod(Limit.tokenBucket(3, most, Duration.ofNanos(1)), 3, most);
        assertPeriod(Limit.leakyBucket(most, longest).withSlack(most - 1), 2L * most - 1, most);
        assertPeriod(Limit.leakyBucket(most, Duration.ofNanos(5)).withSlack(most), 2L * most, most);
        assertPeriod(Limit.leakyBucket(7, longest.dividedBy(3)).withSlack(12), 19, 7);
    }

    private static void assertPeriod(Limit bucket, long permits, int perPeriod) {
        Duration period = bucket instanceof LeakyBucket leaky ? leaky.period() : ((TokenBucket) bucket).refillPeriod();
        BigInteger nanos = BigInteger.valueOf(period.toNanos())
                .multiply(BigInteger.valueOf(permits))
                .divide(BigInteger.valueOf(perPeriod));
        assertThat(terms(bucket).periodNanos()).as("%s", bucket).isEqualTo(nanos.longValueExact());
    }

    @Test
    @DisplayName("permits return when leases are closed if those of any part do")
    void returnsOnRelease() {
        Limit window = Limit.of(10, PERIOD);
        Limit leases = Limit.concurrency(3);
        assertThat(List.of(
                        leases,
                        leases.countingCalls(),
                        Limit.allOf(window, leases),
                        Limit.allOf(window, Limit.allOf(leases, Limit.unlimited()))
                                .countingCalls()))
                .allMatch(limit -> terms(limit).returnsOnRelease());
        assertThat(List.of(window, window.countingCalls(), Limit.allOf(window, Limit.unlimited()), Limit.unlimited()))
                .noneMatch(limit -> terms(limit).returnsOnRelease());
    }

    private static FleetTerms terms(Limit limit) {
        return new FleetTerms(limit, new TestSettings().build());
    }
}
