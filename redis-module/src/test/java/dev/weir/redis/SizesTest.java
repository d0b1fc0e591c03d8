package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Sizes of waiting requests, against the list of them. */
class SizesTest {

    private static final int MOST = 128;

    @Test
    @DisplayName("tell the size of each request of the first, and take those behind them to be like the last")
    void ofEach() {
        for (long seed = 1; seed <= 500; seed++) {
            Random random = new Random(seed);
            int[] permits = someOf(random, 1 + random.nextInt(2 * MOST));
            int unknown = random.nextInt(3) * permits[permits.length - 1];
            Sizes sizes = Sizes.from(Queued.of(permits), IntStream.of(permits).sum() + unknown);
            long before = 0;
            int last = permits[Math.min(permits.length, MOST) - 1];
            for (int i = 0; i < permits.length + unknown; i++) {
                int expected = i < Math.min(permits.length, MOST) ? permits[i] : last;
                assertThat(sizes.after(before))
                        .as("seed %d, request %d", seed, i)
                        .isEqualTo(expected);
                before += expected;
            }
            assertThat(sizes.areAlike())
                    .as("seed %d", seed)
                    .isEqualTo(IntStream.of(permits).limit(MOST).distinct().count() == 1);
        }
    }

    @Test
    @DisplayName("the first permits are for requests of the sizes that are told")
    void ofTheFirst() {
        for (long seed = 1; seed <= 500; seed++) {
            Random random = new Random(seed);
            int[] permits = someOf(random, 1 + random.nextInt(20));
            int all = IntStream.of(permits).sum();
            Sizes sizes = Sizes.from(Queued.of(permits), all);
            int asked = random.nextInt(all + 5);
            long before = 0;
            for (Sizes.Run run : sizes.first(asked)) {
                assertThat(run.one()).as("seed %d", seed).isEqualTo(sizes.after(before));
                before += run.permits();
            }
            assertThat(before).as("seed %d", seed).isEqualTo(asked);
        }
    }

    @Test
    @DisplayName("where the next request needs more than is left, the rest is for nobody")
    void cutShort() {
        assertThat(Sizes.from(Queued.of(2, 3), 4)).isEqualTo(Sizes.from(Queued.of(2), 2));
        assertThat(Sizes.from(Queued.of(2, 1, 1, 5), 6).permits()).isEqualTo(4);
        assertThat(Sizes.from(Queued.of(2), 6).permits()).isEqualTo(6);
    }

    @Test
    @DisplayName("a request behind others is found by their permits")
    void behind() {
        for (long seed = 1; seed <= 500; seed++) {
            Random random = new Random(seed);
            int[] permits = someOf(random, 2 + random.nextInt(20));
            int skipped = random.nextInt(permits.length);
            int before = IntStream.of(permits).limit(skipped).sum();
            int[] rest = IntStream.of(permits).skip(skipped).toArray();
            assertThat(Sizes.behind(Queued.of(permits), before))
                    .as("seed %d", seed)
                    .isEqualTo(Queued.of(rest));
        }
    }

    private static int[] someOf(Random random, int requests) {
        int largest = 1 + random.nextInt(3);
        return random.ints(requests, 1, largest + 1).toArray();
    }
}
