package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StampsTest {

    private static final int TAKES = 500_000;

    /** Of takes whose stamps share one place. */
    private static final long APART = 64;

    private static final long PERIOD = 1_000_000_000;

    private final Stamps stamps = new Stamps(PERIOD);

    /** An answer takes less than this longer than another. */
    private static final int LATEST = 10_000_000;

    private static long storeTimeAt(long sinceOrigin) {
        return 1_790_000_000_000_000_000L + sinceOrigin;
    }

    private static long storeTimeOf(long taken) {
        return 1_790_000_000_000_000_000L + 3 * taken;
    }

    @Test
    @DisplayName(
            "the latest takes are remembered, for those before them there is a time that is not later, on any clock")
    void latest() {
        for (long origin : new long[] {0, -1, 1_000_000, Long.MIN_VALUE, Long.MAX_VALUE - 10}) {
            Stamps onThisClock = new Stamps(PERIOD);
            for (long taken = origin; taken - origin < 100; taken++) {
                onThisClock.add(taken, storeTimeOf(taken - origin));
            }
            for (long taken = origin; taken - origin < 100; taken++) {
                boolean isLatest = taken - origin >= 100 - APART;
                long earliest = isLatest ? storeTimeOf(taken - origin) : 0;
                assertThat(onThisClock.storeTime(taken))
                        .as("of %d", taken)
                        .isBetween(earliest, storeTimeOf(taken - origin));
            }
        }
    }

    @Test
    @DisplayName("a stamp is remembered as others come while there are few")
    void few() {
        for (long apart : new long[] {1, 3, 64, 1_000_003}) {
            Stamps seldom = new Stamps(PERIOD);
            for (int take = 0; take < 3; take++) {
                seldom.add(take * apart, storeTimeOf(take * apart));
            }
            seldom.add(2 * apart + 1, storeTimeOf(2 * apart + 1));
            assertThat(seldom.storeTime(2 * apart + 1)).isEqualTo(storeTimeOf(2 * apart + 1));
            if (apart != 64) { // which is one place for all, however many there are
                for (int take = 0; take < 3; take++) {
                    assertThat(seldom.storeTime(take * apart)).isEqualTo(storeTimeOf(take * apart));
                }
            }
        }
    }

    @Test
    @DisplayName(
            "of several takes at one time the stamp is that which the store recorded first, in whichever order they come")
    void atOneTime() {
        for (long first : new long[] {1_000_000, 1_010_000}) {
            long second = 2_010_000 - first;
            Stamps both = new Stamps(PERIOD);
            both.add(5, storeTimeAt(first));
            both.add(5, storeTimeAt(second));
            both.add(6, storeTimeAt(2_000_000));
            assertThat(both.storeTime(5)).isEqualTo(storeTimeAt(1_000_000));
        }
    }

    @Test
    @DisplayName("while several write to one place, nobody is told a time later than that of its own")
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
                long seen = stamps.storeTime(taken);
                assertThat(seen).as("of %d", taken).isLessThanOrEqualTo(storeTimeOf(taken));
                known += seen == storeTimeOf(taken) ? 1 : 0;
            }
        } finally {
            isOver.set(true);
            other.join();
        }
        assertThat(known).as("remembered").isPositive();
    }

    @Test
    @DisplayName("a stamp is never later than the truth, and earlier only as far as answers vary")
    void neverLater() {
        for (long seed = 1; seed <= 40; seed++) {
            Random random = new Random(seed);
            Stamps kept = new Stamps(PERIOD);
            long origin = random.nextLong();
            long now = origin;
            List<long[]> takes = new ArrayList<>();
            for (int take = 0; take < 2_000; take++) {
                now += random.nextInt(500_000);
                long storeNanos = storeTimeAt(now - origin) - random.nextInt(LATEST);
                kept.add(now, storeNanos);
                takes.add(new long[] {now, storeNanos});
            }
            for (long[] take : takes) {
                assertThat(kept.storeTime(take[0]))
                        .as("seed %d, of %d", seed, take[0])
                        .isBetween(take[1] - LATEST, take[1]);
            }
        }
    }

    @Test
    @DisplayName(
            "takes of after a change to a longer period are known for as long as that, and those of before as before")
    void longerPeriod() {
        long longer = 3_600 * PERIOD;
        for (long origin : new long[] {0, -1, 17 * PERIOD, Long.MIN_VALUE, Long.MAX_VALUE - longer / 3}) {
            Stamps changed = new Stamps(PERIOD);
            add(changed, origin, 0, PERIOD);
            long change = origin + PERIOD;
            changed.reachBack(longer, change);
            add(changed, change, PERIOD, longer);
            changed.reachBack(PERIOD, change + longer);
            for (long since = PERIOD; since < longer; since += PERIOD) {
                assertThat(changed.storeTime(change + since))
                        .as("of %d, from %d", since, origin)
                        .isBetween(storeTimeAt(PERIOD + since) - LATEST, storeTimeAt(PERIOD + since));
            }
            for (long since = 0; since < PERIOD; since += PERIOD / 100) {
                assertThat(changed.storeTime(origin + since))
                        .as("of %d, before", since)
                        .isBetween(storeTimeAt(since) - LATEST, storeTimeAt(since));
            }
            assertThat(changed.storeTime(origin - 10 * PERIOD))
                    .as("long before")
                    .isZero();
        }
    }

    /** Adds takes of a while, by a clock that is that of the store but for an origin. */
    private static void add(Stamps stamps, long from, long sinceOrigin, long nanos) {
        for (long since = 0; since < nanos; since += Math.max(1, nanos / 100 / PERIOD) * PERIOD / 100) {
            stamps.add(from + since, storeTimeAt(sinceOrigin + since));
        }
    }
}
