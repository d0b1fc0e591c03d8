package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Requests that were checked against a limit which has become smaller before they get to it. */
class LimitReducedPoliciesTest {

    private static final Duration WINDOW = Duration.ofNanos(30);

    private static final List<IntFunction<Limit>> KINDS = List.of(
            permits -> Limit.of(permits, WINDOW),
            permits -> Limit.slidingWindow(permits, WINDOW, 3),
            permits -> Limit.slidingWindowCounter(permits, WINDOW),
            permits -> Limit.fixedWindow(permits, WINDOW),
            permits -> Limit.tokenBucket(permits, permits, WINDOW),
            permits -> Limit.tokenBucket(permits, permits, WINDOW).refillingInSteps(),
            permits -> Limit.leakyBucket(permits, WINDOW),
            permits -> Limit.leakyBucket(permits, WINDOW).withSlack(1),
            Limit::concurrency,
            permits -> Limit.allOf(Limit.fixedWindow(permits, WINDOW), Limit.slidingWindow(permits, WINDOW, 3)),
            permits -> Limit.allOf(Limit.leakyBucket(permits, WINDOW), Limit.slidingWindowCounter(permits, WINDOW)));

    private static final Duration DAY = Duration.ofDays(1);

    /** A million in a minute, or one a day: what one of the former asks for is beyond what the latter can reckon with. */
    private static final List<IntFunction<Limit>> FAR_APART = List.of(
            permits -> Limit.of(permits, permits == 1 ? DAY : Duration.ofMinutes(1)),
            permits -> Limit.slidingWindow(permits, permits == 1 ? DAY : Duration.ofMinutes(1), 3),
            permits -> Limit.slidingWindowCounter(permits, permits == 1 ? DAY : Duration.ofMinutes(1)),
            permits -> Limit.fixedWindow(permits, permits == 1 ? DAY : Duration.ofMinutes(1)),
            permits -> Limit.tokenBucket(permits, permits, permits == 1 ? DAY : Duration.ofMinutes(1)),
            permits -> Limit.leakyBucket(permits, permits == 1 ? DAY : Duration.ofMinutes(1)),
            permits -> Limit.allOf(
                    Limit.slidingWindowCounter(permits, permits == 1 ? DAY : Duration.ofMinutes(1)),
                    Limit.leakyBucket(permits, permits == 1 ? DAY : Duration.ofMinutes(1))));

    @Test
    @DisplayName("a request larger than a smaller limit is told that time does not help, and takes nothing")
    void timeDoesNotHelp() {
        for (IntFunction<Limit> kind : KINDS) {
            for (int used = 0; used <= 4; used++) {
                PermitPolicy policy = kind.apply(4).newPolicy(0);
                assertThat(used == 0 || policy.tryTake(used, 0) == PermitPolicy.TAKEN)
                        .isTrue();
                policy.reconfigure(kind.apply(2), 1);
                for (long now : new long[] {1, 5, 31, 100, -(1L << 60)}) {
                    long available = policy.available(now);
                    assertThat(policy.tryTake(4, now))
                            .as("%s with %d used, at %d", kind.apply(2), used, now)
                            .isEqualTo(PermitPolicy.AWAIT_SIGNAL);
                    assertThat(policy.available(now)).isEqualTo(available);
                }
            }
        }
    }

    @Test
    @DisplayName("a request larger than can be counted is told that time does not help")
    void farApart() {
        for (IntFunction<Limit> kind : FAR_APART) {
            for (int used = 0; used <= 1; used++) {
                PermitPolicy policy = kind.apply(1_000_000).newPolicy(0);
                policy.charge(used, 0);
                policy.reconfigure(kind.apply(1), 1);
                for (int permits : new int[] {2, 110_000, 1_000_000}) {
                    assertThat(policy.tryTake(permits, 2))
                            .as("%s, asked for %d", kind.apply(1), permits)
                            .isEqualTo(PermitPolicy.AWAIT_SIGNAL);
                }
                assertThat(policy.available(2)).isEqualTo(1 - used);
            }
        }
    }
}
