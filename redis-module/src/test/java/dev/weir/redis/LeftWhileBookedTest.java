package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that leave while the store, whose answers take a while, books for them. */
class LeftWhileBookedTest {

    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));
    private static final Duration MILLI = Duration.ofMillis(1);

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final ModelStore model = new ModelStore(LIMIT, time);
    private final RateLimiter near = limiter(model);
    private final RateLimiter far = limiter(
            (limit, question, listener) -> time.schedule(() -> model.ask(limit, question, listener), MILLI.toNanos()));

    private RateLimiter limiter(Store store) {
        return ModelFleet.builder(LIMIT, store, ModelFleet.settings(WhenUnavailable.LOCAL, 1))
                .timeSource(time)
                .build();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100})
    @DisplayName("what is booked for them meanwhile goes back soon")
    void bothLeave(int millisBetween) {
        assertThat(near.acquire(7)).isCompletedWithValueMatching(Lease::isAcquired);
        List<Lease> told = new ArrayList<>();
        PermitRequest first = far.acquire(4, told::add);
        time.advanceBy(MILLI.multipliedBy(millisBetween));
        PermitRequest second = far.acquire(5, told::add);
        first.cancel();
        second.cancel();
        time.advanceBy(MILLI.multipliedBy(250));
        assertThat(near.tryAcquire(3).isAcquired()).isTrue();
        assertThat(told).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "who comes meanwhile is served once that has gone back, be it a request that may wait or one that must not")
    void anotherComes(boolean mayWait) {
        assertThat(near.acquire(7)).isCompletedWithValueMatching(Lease::isAcquired);
        List<Lease> told = new ArrayList<>();
        PermitRequest leaving = far.acquire(4, told::add);
        time.advanceBy(MILLI);
        leaving.cancel();
        far.acquire(3, mayWait ? Duration.ofHours(1) : Duration.ZERO, told::add);
        time.advanceBy(MILLI.multipliedBy(3));
        assertThat(told).singleElement().matches(Lease::isAcquired);
    }

    @RepeatedTest(100)
    @DisplayName("once all have left, the store counts what was granted, and nothing else")
    void allLeave() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Lease> granted = new ArrayList<>();
        List<PermitRequest> asked = new ArrayList<>();
        for (int step = 0; step < 60; step++) {
            time.advanceBy(MILLI.multipliedBy(random.nextInt(4)));
            if (random.nextBoolean()) {
                asked.add(far.acquire(1 + random.nextInt(4), granted::add));
            } else if (!asked.isEmpty()) {
                asked.remove(random.nextInt(asked.size())).cancel();
            }
        }
        asked.forEach(PermitRequest::cancel);
        time.advanceBy(MILLI.multipliedBy(250));
        int left = 10 - granted.stream().mapToInt(Lease::permits).sum();
        String what = "seed " + seed + ", left " + left;
        assertThat(left == 0 || near.tryAcquire(left).isAcquired()).as(what).isTrue();
        assertThat(near.tryAcquire().isAcquired()).as(what).isFalse();
    }
}
