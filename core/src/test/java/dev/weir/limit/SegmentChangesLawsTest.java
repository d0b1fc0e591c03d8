package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Exact windows, and those in segments, while their limits change, and while permits come back, by clocks that disagree a little. */
class SegmentChangesLawsTest {

    private static final int SEEDS = 20_000;

    /** So many permits, taken by that clock, when the latest clock showed another time. */
    private record Taken(int permits, long at, long latest) {}

    @Test
    @DisplayName("no window gets more than the limit of its end, whatever the limits before it were, whoever is late")
    void changes() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Walk(seed, seed % 2 == 0).changing();
        }
    }

    @Test
    @DisplayName(
            "no window of the exact limit, nor of one in segments, gets more for what was given back, also in debt, whoever is late")
    void comingBack() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Walk(seed, seed % 2 == 0).comingBack();
        }
    }

    @Test
    @DisplayName("a take before a reduced limit counts when the limit is raised again")
    void reducedAndRaisedAgain() {
        PermitPolicy policy = segments(4, 1_000).newPolicy(0);
        assertThat(policy.tryTake(3, 0)).isZero();
        policy.reconfigure(segments(1, 1_000), 100);
        assertThat(policy.available(100)).isZero();
        assertThat(policy.tryTake(1, 100)).isEqualTo(900);
        policy.reconfigure(segments(4, 1_000), 200);
        assertThat(policy.available(200)).isEqualTo(1);
        assertThat(policy.tryTake(2, 200)).isEqualTo(800);
        assertThat(policy.tryTake(4, 1_000)).isZero();
    }

    @Test
    @DisplayName("a charge takes a place of the reduced limit")
    void chargedWhileReduced() {
        PermitPolicy policy = segments(4, 1_000).newPolicy(0);
        assertThat(policy.tryTake(3, 0)).isZero();
        assertThat(policy.tryTake(1, 400)).isZero();
        policy.reconfigure(segments(1, 1_000), 400);
        policy.charge(1, 400);
        assertThat(policy.available(400)).isEqualTo(-1);
        assertThat(policy.tryTake(1, 400)).isEqualTo(2_000);
        policy.giveBack(1, 400, 400);
        assertThat(policy.available(400)).isEqualTo(-1);
        assertThat(policy.tryTake(1, 400)).isEqualTo(1_600);
    }

    @Test
    @DisplayName("under a reduced limit as many are foretold as pass in a window, whatever more was taken before")
    void foretoldWhileReduced() {
        PermitPolicy policy = segments(3, 1_000).newPolicy(0);
        assertThat(policy.tryTake(3, 0)).isZero();
        policy.reconfigure(segments(1, 1_000), 0);
        for (int ahead = 0; ahead < 5; ahead++) {
            assertThat(policy.nanosUntil(ahead, 1, 0)).isEqualTo(1_000L * (ahead + 1));
        }
        for (int passed = 1; passed <= 5; passed++) {
            assertThat(policy.tryTake(1, 1_000L * passed)).isZero();
        }
    }

    @Test
    @DisplayName("twice the largest limit there is may count under a reduced one")
    void moreThanAnyLimitHas() {
        int most = Integer.MAX_VALUE;
        PermitPolicy policy = segments(most, 1_000).newPolicy(0);
        assertThat(policy.tryTake(most, 0)).isZero();
        assertThat(policy.tryTake(most, 1_000)).isZero();
        policy.reconfigure(segments(2, 3_000), 1_000);
        policy.charge(3, 1_000);
        assertThat(policy.available(1_000)).isEqualTo(-3);
        assertThat(policy.tryTake(1, 1_000)).isEqualTo(6_000);
        policy.reconfigure(segments(most, 3_000), 1_000);
        assertThat(policy.available(2_999)).isEqualTo(-3);
        assertThat(policy.available(4_000)).isEqualTo(most - 3);
    }

    @Test
    @DisplayName("in a longer window counts what was forgotten, but nothing where nothing was")
    void longerWindow() {
        PermitPolicy fresh = segments(4, 1_000).newPolicy(0);
        fresh.tryTake(1, 0);
        fresh.tryTake(1, 900);
        fresh.reconfigure(segments(5, 3_000), 900);
        assertThat(fresh.available(900)).isEqualTo(3);

        PermitPolicy older = segments(4, 1_000).newPolicy(0);
        for (int at = 0; at <= 2_000; at += 500) {
            older.tryTake(2, at);
        }
        older.reconfigure(segments(5, 3_000), 2_000);
        assertThat(older.available(2_000)).isZero();
    }

    @Test
    @DisplayName("a take just before a segment began is given back there, not in the segment")
    void takenAsASegmentBegan() {
        SlidingWindow limit = segments(6, 1_000);
        PermitPolicy policy = limit.newPolicy(0);
        policy.tryTake(3, 90);
        policy.reconfigure(limit, 90);
        policy.tryTake(1, 90);
        policy.tryTake(2, 150);
        policy.giveBack(3, 90, 150);
        assertThat(policy.tryTake(6, 1_090)).isEqualTo(60);
    }

    private static SlidingWindow segments(int permits, long windowNanos) {
        return Limit.slidingWindow(permits, Duration.ofNanos(windowNanos), 10);
    }

    private static final class Walk {

        private final long seed;
        private final boolean exact;
        private final SplittableRandom random;
        private final List<Taken> takings = new ArrayList<>();
        private final StringBuilder trace = new StringBuilder();
        private int permits;
        private long window;
        private int segments;
        private long now;

        Walk(long seed, boolean exact) {
            this.seed = seed;
            this.exact = exact;
            this.random = new SplittableRandom(seed);
            this.permits = 1 + random.nextInt(6);
            this.window = 5L + random.nextInt(60);
            this.segments = 1 + random.nextInt(5);
        }

        private Limit limit() {
            Duration length = Duration.ofNanos(window);
            return exact ? Limit.of(permits, length) : Limit.slidingWindow(permits, length, segments);
        }

        /** What a clock shows that may be late. */
        private long clock() {
            return random.nextInt(3) == 0 ? Math.max(0, now - random.nextInt(20)) : now;
        }

        void changing() {
            PermitPolicy policy = limit().newPolicy(0);
            for (int step = 0; step < 30; step++) {
                switch (random.nextInt(5)) {
                    case 0 -> now += 1 + random.nextInt(40);
                    case 1 -> {
                        change();
                        long clock = clock();
                        policy.reconfigure(limit(), clock);
                        trace.append(' ').append(limit()).append(" at ").append(clock);
                    }
                    case 2 -> giveBackAny(policy);
                    default -> take(policy, clock());
                }
            }
        }

        /** Also what was taken under another limit, and what that has forgotten. */
        private void giveBackAny(PermitPolicy policy) {
            if (!takings.isEmpty()) {
                Taken taken = takings.get(random.nextInt(takings.size()));
                if (now - taken.at() < window) {
                    takings.remove(taken);
                    policy.giveBack(taken.permits(), taken.at(), now);
                    trace.append(" back at ").append(now).append(' ').append(taken);
                }
            }
        }

        private void change() {
            switch (random.nextInt(3)) {
                case 0 -> permits = 1 + random.nextInt(6);
                case 1 -> segments = 1 + random.nextInt(5);
                default -> window = 5L + random.nextInt(60);
            }
        }

        void comingBack() {
            PermitPolicy policy = limit().newPolicy(0);
            for (int step = 0; step < 40; step++) {
                now += random.nextInt(3) == 0 ? random.nextInt(30) : 0;
                long clock = clock();
                if (random.nextInt(8) == 0) {
                    int charged = 1 + random.nextInt(permits);
                    policy.charge(charged, clock);
                    trace.append(" charged ").append(charged).append(" at ").append(clock);
                }
                if (random.nextInt(4) == 0 && !takings.isEmpty()) {
                    Taken taken = takings.remove(random.nextInt(takings.size()));
                    policy.giveBack(taken.permits(), taken.at(), Math.max(taken.at(), clock));
                    trace.append(" back at ")
                            .append(Math.max(taken.at(), clock))
                            .append(' ')
                            .append(taken);
                } else {
                    take(policy, clock);
                }
            }
        }

        private void take(PermitPolicy policy, long clock) {
            int wanted = 1 + random.nextInt(permits);
            if (policy.tryTake(wanted, clock) != PermitPolicy.TAKEN) {
                return;
            }
            Taken last = new Taken(wanted, clock, now);
            takings.add(last);
            trace.append(' ').append(last);
            for (Taken first : takings) {
                long sum = takings.stream()
                        .filter(taken -> taken.at() >= first.at() && taken.latest() - first.at() < window)
                        .mapToLong(Taken::permits)
                        .sum();
                assertThat(sum)
                        .as("seed %d, in %d from %d:%s", seed, window, first.at(), trace)
                        .isLessThanOrEqualTo(first.at() > now - window ? permits : sum);
            }
        }
    }
}
