package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of chains that arrive in another order than that of their times, as threads read a clock before they ask. */
class ChainsOutOfOrderTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final int REQUESTS = 200_000;

    private final SteppedTime time = new SteppedTime(-7);
    private final List<Integer> granted = new ArrayList<>(REQUESTS);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName(
            "many that each come just behind the next younger one are put into order in no time, and go by their age")
    void manyInTheWrongOrder(boolean isBounded) {
        RateLimiter free =
                RateLimiter.builder(Limit.unlimited()).timeSource(time).build();
        RateLimiter.Builder slots = RateLimiter.builder(Limit.concurrency(1)).timeSource(time);
        RateLimiter slot = isBounded ? slots.maxWait(HOUR).build() : slots.build();
        Lease held = slot.tryAcquire();
        for (int i = 0; i < REQUESTS; i++) {
            int age = i ^ 1; // 1, 0, 3, 2, 5, 4 ...
            time.advanceBy(i % 2 == 0 ? 3 : -1);
            RateLimiter.chain(free, slot).acquire(1, HOUR, lease -> {
                granted.add(age);
                lease.close();
            });
        }
        assertThat(granted).isEmpty();
        held.close();
        assertThat(granted).isEqualTo(IntStream.range(0, REQUESTS).boxed().toList());
    }
}
