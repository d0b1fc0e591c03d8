package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who looks at what is available before asking, while the store does not answer and after, in virtual time. */
class LooksInOutageTest {

    private static final Limit LIMIT = Limit.of(20, Duration.ofSeconds(1));
    private static final Duration STEP = Duration.ofMillis(10);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private boolean isGone;
    private int asked;

    /** On a store that fails while it is gone. */
    private RateLimiter limiter(WhenUnavailable choice) {
        Store store = new ModelStore(LIMIT, time);
        Store leaving = (limit, question, listener) -> {
            asked++;
            if (isGone) {
                listener.failed(new IllegalStateException("gone"));
            } else {
                store.ask(limit, question, listener);
            }
        };
        return ModelFleet.builder(LIMIT, leaving, choice).timeSource(time).build();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a caller that asks only when it sees permits is back with the store soon after that is")
    void whoLooksFirst(WhenUnavailable choice) {
        RateLimiter limiter = limiter(choice);
        isGone = true;
        assertThat(limiter.acquire().join().source()).isEqualTo(DecisionSource.FALLBACK);
        time.advanceBy(Duration.ofSeconds(10));
        isGone = false;
        boolean isServed = false;
        for (int look = 0; look < 120 && !isServed; look++) {
            time.advanceBy(STEP);
            isServed =
                    limiter.availablePermits() > 0 && limiter.acquire().join().source() == DecisionSource.REMOTE;
        }
        assertThat(isServed).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("looks and statistics, however many, cost no more trips than a probe a second")
    void noMoreThanProbes(WhenUnavailable choice) {
        RateLimiter limiter = limiter(choice);
        isGone = true;
        assertThat(limiter.acquire().join().source()).isEqualTo(DecisionSource.FALLBACK);
        time.advanceBy(Duration.ofSeconds(10));
        for (int look = 0; look < 500; look++) { // failed probes become rarer
            long unused = limiter.availablePermits();
            time.advanceBy(STEP);
        }
        int before = asked;
        for (int look = 0; look < 6_000; look++) {
            long unused = limiter.availablePermits() + limiter.statistics().available();
            time.advanceBy(STEP);
        }
        assertThat(asked - before).as("probes in a minute").isBetween(55, 125);
    }
}
