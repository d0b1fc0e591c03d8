package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests whose time is up at the same instant. */
class EqualDeadlinesTest {

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE - 5})
    @DisplayName("are told in the order in which they asked")
    void areToldInOrder(long origin) {
        SteppedTime time = new SteppedTime(origin);
        RateLimiter limiter = RateLimiter.builder(Limit.concurrency(1))
                .maxWait(Duration.ofNanos(10))
                .timeSource(time)
                .build();
        limiter.tryAcquire();
        List<Integer> refused = new ArrayList<>();
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            int number = i;
            asked.add(number);
            limiter.acquire(i % 3 == 0 ? 0 : 1, lease -> refused.add(number));
        }
        time.advanceBy(10);
        assertThat(refused).isEqualTo(asked);
    }
}
