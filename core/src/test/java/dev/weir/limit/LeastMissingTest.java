package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.assertj.core.api.AbstractLongAssert;
import org.junit.jupiter.api.Test;

/** Beside a list of all takes. */
class LeastMissingTest {

    @Test
    void isTheLeastSinceWhereClocksDoNotStandStill() {
        for (int seed = 0; seed < 2000; seed++) {
            Model model = new Model(seed, 1, 30);
            for (int step = 0; step < 30; step++) {
                model.step();
                model.forEachTake(AbstractLongAssert::isEqualTo);
            }
        }
    }

    @Test
    void isNeverMoreWhateverClocksDo() {
        for (int seed = 0; seed < 2000; seed++) {
            Model model = new Model(seed, -3, 1000);
            for (int step = 0; step < 200; step++) {
                model.step();
                model.forEachTake(AbstractLongAssert::isLessThanOrEqualTo);
            }
        }
    }

    @Test
    void isNeverMoreWhereStepsAreLeftOut() {
        for (int seed = 0; seed < 500; seed++) {
            Model model = new Model(seed, 1, 1000);
            for (int step = 0; step < 300; step++) {
                model.rising++;
                model.step();
                model.forEachTake(AbstractLongAssert::isLessThanOrEqualTo);
            }
        }
    }

    @Test
    void hasRoomForSoManyStepsAndKeepsTheLatest() {
        LeastMissing missing = LeastMissing.from(0);
        for (int take = 1; take <= 10_000; take++) {
            missing = missing.taken(take, take);
        }
        Set<Long> steps = new HashSet<>();
        for (int take = 1; take < 10_000; take++) {
            long least = missing.since(take);
            assertThat(least).isBetween(0L, take + 1L);
            steps.add(least);
        }
        assertThat(steps).hasSizeBetween(16, 33);
        assertThat(missing.since(9999)).isEqualTo(10_000);
    }

    @Test
    void isNothingOnceNothingIsMissing() {
        assertThat(LeastMissing.from(0).taken(0, 1)).isNull();
        assertThat(LeastMissing.from(0).taken(-1, 1)).isNull();
        assertThat(LeastMissing.from(0).taken(1, 1)).isNotNull();
    }

    @Test
    void knowsNothingOfWhatWasBefore() {
        LeastMissing missing = LeastMissing.from(Long.MAX_VALUE).taken(5, Long.MIN_VALUE);
        assertThat(missing.since(Long.MAX_VALUE - 1)).isZero();
        assertThat(missing.since(Long.MAX_VALUE)).isEqualTo(5);
    }

    /** All takes, in order, and what was missing at each, as it would have been by now. */
    private static final class Model {

        private final int seed;
        private final SplittableRandom random;
        private final int leastGap;
        private final int mostTakes;
        private final List<Long> clocks = new ArrayList<>();
        private final List<Long> missing = new ArrayList<>();
        private LeastMissing answers = LeastMissing.from(0);
        private long now;
        private long rising;

        Model(int seed, int leastGap, int mostTakes) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.leastGap = leastGap;
            this.mostTakes = mostTakes;
        }

        void step() {
            now = Math.max(0, now + random.nextInt(leastGap, 5));
            if (clocks.size() < mostTakes && random.nextInt(3) > 0) {
                long found = rising + 1 + random.nextInt(random.nextBoolean() ? 10 : 100);
                answers = answers.taken(found, now);
                clocks.add(now);
                missing.add(found);
            } else if (!clocks.isEmpty()) {
                int take = random.nextInt(clocks.size());
                long least = answer(take);
                long credit = Math.min(random.nextInt(20), least);
                answers = answers.returned(credit, clocks.get(take));
                for (int later = take + 1; later < missing.size(); later++) {
                    missing.set(later, missing.get(later) - credit);
                }
            }
        }

        void forEachTake(BiConsumer<AbstractLongAssert<?>, Long> holds) {
            for (int take = 0; take < clocks.size(); take++) {
                holds.accept(assertThat(answer(take)).as("seed %s, take %s", seed, take), least(take));
            }
        }

        long answer(int take) {
            return answers.since(clocks.get(take));
        }

        /** Where no time has passed since the latest take, nothing can have overflowed. */
        long least(int take) {
            long least = Long.MAX_VALUE;
            long latest = clocks.subList(0, take + 1).stream()
                    .mapToLong(Long::longValue)
                    .max()
                    .orElseThrow();
            for (int later = take + 1; later < missing.size(); later++) {
                least = clocks.get(later) > latest ? Math.min(least, missing.get(later)) : least;
                latest = Math.max(latest, clocks.get(later));
            }
            return least;
        }
    }
}
