package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Concurrently;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Eight threads at one exact window on a clock that stands still, so that every permit can be counted. */
class SlidingWindowLogContentionTest {

    private static final int THREADS = 8;

    @Test
    @DisplayName("single permits and several, through all sizes of the ring: exactly N are granted")
    void exactlyNAreGranted() {
        for (int round = 0; round < 200; round++) {
            int permits = 1 + round * 7 % 500;
            int weights = 1 + round % 4;
            PermitPolicy policy = Limit.of(permits, Duration.ofSeconds(1)).newPolicy(round);
            AtomicLong granted = new AtomicLong();
            long now = round;
            Concurrently.run(THREADS, thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                for (int wanted = weights; wanted >= 1; wanted--) {
                    int weight = Math.min(permits, wanted);
                    while (policy.tryTake(weight, now) == PermitPolicy.TAKEN) {
                        granted.addAndGet(weight);
                        if (random.nextInt(8) == 0) {
                            granted.addAndGet(-weight);
                            policy.giveBack(weight, now, now);
                        }
                    }
                }
            });
            // What was given back late may have found nobody left to take it.
            assertThat(granted.get() + policy.available(now))
                    .as("round %d", round)
                    .isEqualTo(permits);
            assertThat(policy.tryTake(1, now + Duration.ofSeconds(1).toNanos())).isZero();
        }
    }

    @Test
    @DisplayName("takes, charges, give-backs and other limits at once: every permit is accounted for")
    void everyPermitIsAccountedFor() {
        for (int round = 0; round < 100; round++) {
            PermitPolicy policy = Limit.of(1_000, Duration.ofSeconds(1)).newPolicy(0);
            AtomicLong out = new AtomicLong();
            long seed = round;
            Concurrently.run(THREADS, thread -> {
                SplittableRandom random = new SplittableRandom(seed * THREADS + thread);
                for (int step = 0; step < 100; step++) {
                    int weight = 1 + random.nextInt(3);
                    switch (random.nextInt(8)) {
                        case 0 -> {
                            policy.charge(1, 0);
                            out.incrementAndGet();
                        }
                        case 1 -> policy.reconfigure(Limit.of(1_000, Duration.ofSeconds(1 + random.nextInt(3))), 0);
                        default -> {
                            if (policy.tryTake(weight, 0) == PermitPolicy.TAKEN) {
                                if (random.nextBoolean()) {
                                    policy.giveBack(weight, 0, 0);
                                } else {
                                    out.addAndGet(weight);
                                }
                            }
                        }
                    }
                }
            });
            assertThat(policy.available(0)).as("round %d", round).isEqualTo(1_000 - out.get());
        }
    }
}
