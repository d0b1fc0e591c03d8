package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.LeakyBucket;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LimitTraitsTest {

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
        LEAKY_BUCKETS.forEach(LimitTraitsTest::assertWhenFull);
        for (LeakyBucket bucket : LEAKY_BUCKETS) {
            assertWhenFull(bucket.countingCalls());
            assertWhenFull(Limit.allOf(Limit.of(10, PERIOD), bucket));
            assertWhenFull(Limit.allOf(Limit.of(10, PERIOD), bucket.countingCalls()));
            assertWhenFull(
                    Limit.allOf(bucket.countingCalls(), Limit.concurrency(3).countingCalls()));
        }
    }

    private static void assertWhenFull(Limit limit) {
        assertThat(LimitTraits.whenFull(limit))
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
            assertThat(LimitTraits.periodNanos(bucket)).as("%s", bucket).isEqualTo(policy.nanosUntilFull(-1));
        }
    }
}
