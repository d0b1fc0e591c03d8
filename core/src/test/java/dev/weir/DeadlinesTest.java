package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that may wait for different times, and leave in any order. */
class DeadlinesTest {

    private static final long[] ORIGINS = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE - 500};
    private static final int STEPS = 2_000;

    private record Asked(int number, long untilNanos, PermitRequest request) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    @DisplayName(
            "are refused when their time is up and not before, in the order of their times, and then in that in which they asked")
    void inOrder(long seed) {
        for (long origin : ORIGINS) {
            run(new Random(seed), new SteppedTime(origin), "seed " + seed + ", origin " + origin);
        }
    }

    private static void run(Random random, SteppedTime time, String about) {
        RateLimiter limiter =
                RateLimiter.builder(Limit.concurrency(1)).timeSource(time).build();
        limiter.tryAcquire();
        boolean isMostlyAlike = random.nextBoolean();
        List<Asked> waiting = new ArrayList<>();
        List<Integer> refused = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        long passed = 0;
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(3) > 0) {
                int number = step;
                long nanos = isMostlyAlike && random.nextInt(20) > 0 ? 50 : 1 + random.nextInt(100);
                PermitRequest request =
                        limiter.acquire(random.nextInt(2), Duration.ofNanos(nanos), lease -> refused.add(number));
                waiting.add(new Asked(number, passed + nanos, request));
            } else if (!waiting.isEmpty() && random.nextBoolean()) {
                assertThat(waiting.remove(random.nextInt(waiting.size()))
                                .request()
                                .cancel())
                        .as(about)
                        .isTrue();
            } else {
                long until = passed + random.nextInt(8);
                waiting.stream()
                        .filter(asked -> asked.untilNanos() <= until)
                        .sorted((one, other) -> Long.compare(one.untilNanos(), other.untilNanos()))
                        .forEach(asked -> expected.add(asked.number()));
                waiting.removeIf(asked -> asked.untilNanos() <= until);
                time.advanceBy(until - passed);
                passed = until;
                assertThat(refused).as("%s, step %d", about, step).isEqualTo(expected);
            }
        }
        assertThat(refused).as(about).isNotEmpty();
    }
}
