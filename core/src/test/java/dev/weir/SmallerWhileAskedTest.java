package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A limit that becomes smaller than a request just after the request was checked. */
class SmallerWhileAskedTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final BreakingTime time = new BreakingTime();
    private final RateLimiter limiter =
            RateLimiter.builder(Limit.of(5, SECOND)).timeSource(time).build();

    @Test
    @DisplayName("who asks at that moment is refused at once, without a time to come back, whether others wait or not")
    void refused() {
        for (boolean behindOthers : new boolean[] {false, true}) {
            limiter.reconfigure(Limit.of(5, SECOND));
            limiter.tryAcquire((int) limiter.availablePermits());
            if (behindOthers) {
                limiter.acquire(1, ahead -> {});
            }
            List<Lease> told = new ArrayList<>();
            time.onNextReading = () -> limiter.reconfigure(Limit.of(2, SECOND));
            limiter.acquire(4, told::add);
            assertThat(told)
                    .as("behind others: %s", behindOthers)
                    .singleElement()
                    .satisfies(lease -> {
                        assertThat(lease.reason()).contains(RefusalReason.EXHAUSTED);
                        assertThat(lease.retryAfter()).isEmpty();
                    });
        }
    }
}
