package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StampsTest {

    private static final int TAKES = 500_000;

    /** Of takes whose stamps share one place. */
    private static final long APART = 64;

    private final Stamps stamps = new Stamps();
    private final Knowledge none = Knowledge.none(0);

    private static long storeTimeOf(long taken) {
        return 1_790_000_000_000_000_000L + 3 * taken;
    }

    @Test
    @DisplayName("the latest takes are remembered, those before them and others are not, on any clock")
    void latest() {
        for (long origin : new long[] {0, -1, 1_000_000, Long.MIN_VALUE, Long.MAX_VALUE - 10}) {
            for (long taken = origin; taken - origin < 100; taken++) {
                stamps.add(taken, storeTimeOf(taken));
            }
            for (long taken = origin; taken - origin < 110; taken++) {
                boolean isLatest = taken - origin >= 100 - APART && taken - origin < 100;
                assertThat(stamps.storeTime(taken, none))
                        .as("of %d", taken)
                        .isEqualTo(isLatest ? storeTimeOf(taken) : 0);
            }
        }
    }

    @Test
    @DisplayName("where there have been few, all are remembered as others come, whatever the time between them")
    void few() {
        for (long apart : new long[] {1, 3, 64, 1_000_003}) {
            Stamps seldom = new Stamps();
            for (int take = 0; take < 3; take++) {
                seldom.add(take * apart, storeTimeOf(take * apart));
            }
            seldom.add(2 * apart + 1, storeTimeOf(2 * apart + 1));
            assertThat(seldom.storeTime(2 * apart + 1, none)).isEqualTo(storeTimeOf(2 * apart + 1));
            if (apart != 64) { // which is one place for all, however many there are
                for (int take = 0; take < 3; take++) {
                    assertThat(seldom.storeTime(take * apart, none)).isEqualTo(storeTimeOf(take * apart));
                }
            }
        }
    }

    @Test
    @DisplayName("while several write to one place, nobody is told the time of somebody else")
    void several() throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        Thread other = new Thread(() -> {
            for (long taken = 1; !isOver.get(); taken = 1 + (taken + APART) % (1_000 * APART)) {
                stamps.add(taken, storeTimeOf(taken));
            }
        });
        other.start();
        Random random = new Random(7);
        long known = 0;
        try {
            for (int i = 0; i < TAKES; i++) {
                long taken = 1 + APART * random.nextInt(1_000);
                stamps.add(taken, storeTimeOf(taken));
                long seen = stamps.storeTime(taken, none);
                assertThat(seen == 0 || seen == storeTimeOf(taken))
                        .as("%d of %d", seen, taken)
                        .isTrue();
                known += seen == 0 ? 0 : 1;
            }
        } finally {
            isOver.set(true);
            other.join();
        }
        assertThat(known).as("remembered").isPositive();
    }
}
