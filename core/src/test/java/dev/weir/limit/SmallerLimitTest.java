package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Requests that were checked against a limit which has become smaller before they get to it. */
class SmallerLimitTest {

    private static final Duration WINDOW = Duration.ofNanos(30);

    private static final List<IntFunction<Limit>> KINDS = List.of(
            permits -> Limit.of(permits, WINDOW),
            permits -> Limit.slidingWindow(permits, WINDOW, 3),
            permits -> Limit.slidingWindowCounter(permits, WINDOW),
            permits -> Limit.fixedWindow(permits, WINDOW),
            permits -> Limit.tokenBucket(permits, permits, WINDOW),
            permits -> Limit.tokenBucket(permits, permits, WINDOW).refillingInSteps(),
            Limit::concurrency,
            permits -> Limit.allOf(Limit.fixedWindow(permits, WINDOW), Limit.slidingWindow(permits, WINDOW, 3)));

    @Test
    @DisplayName("who asks for more than it has now is told to wait, however much is used")
    void waits() {
        for (IntFunction<Limit> kind : KINDS) {
            for (int used = 0; used <= 4; used++) {
                PermitPolicy policy = kind.apply(4).newPolicy(0);
                assertThat(used == 0 || policy.tryTake(used, 0) == PermitPolicy.TAKEN)
                        .isTrue();
                policy.reconfigure(kind.apply(2), 1);
                for (long now : new long[] {1, 5, 31, 100}) {
                    assertThat(policy.tryTake(4, now))
                            .as("%s with %d used, at %d", kind.apply(2), used, now)
                            .isPositive();
                }
            }
        }
    }
}
