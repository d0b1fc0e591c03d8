package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Windows whose length changes, whether they begin on multiples of it or not: what is given back returns where it still counts,
 * and where it was forgotten, changes nothing for others.
 */
class GivenBackAfterChangesLawsTest {

    private static final int SEEDS = 3_000;
    private static final int STEPS = 40;

    /** Multiples do not go on where a clock wraps. */
    private static final long[] ALIGNED_ORIGINS = {0, -1, Long.MIN_VALUE};

    @Test
    @DisplayName("a counter")
    void counter() {
        everySeed(PolicyTraces.ORIGINS, (permits, random) -> new SlidingWindowCounter(permits, length(random)));
    }

    @Test
    @DisplayName("fixed windows, aligned or not")
    void fixed() {
        everySeed(ALIGNED_ORIGINS, (permits, random) -> new FixedWindow(permits, length(random), random.nextBoolean()));
    }

    @Test
    @DisplayName("a bucket that one step fills")
    void filledInOneStep() {
        everySeed(
                PolicyTraces.ORIGINS,
                (permits, random) -> new TokenBucket(permits, permits, length(random)).refillingInSteps());
    }

    @Test
    @DisplayName("a late lease frees nothing of others that a longer window still counts")
    void longerWindow() {
        PermitPolicy policy = new SlidingWindowCounter(10, Duration.ofSeconds(1)).newPolicy(0);
        policy.tryTake(10, millis(1_500));
        policy.tryTake(10, millis(3_999));
        policy.reconfigure(new SlidingWindowCounter(10, Duration.ofSeconds(60)), millis(4_000));
        assertThat(policy.available(millis(4_000))).isZero();
        policy.settle(10, 0, false, millis(1_500), millis(4_000));
        assertThat(policy.available(millis(4_000))).isZero();
        policy.settle(10, 0, false, millis(3_999), millis(4_000));
        assertThat(policy.available(millis(4_000))).isEqualTo(10);
    }

    @Test
    @DisplayName("a permit of an earlier window is not given back to one on multiples of another length")
    void earlierBegin() {
        PermitPolicy policy = new FixedWindow(10, Duration.ofSeconds(7), true).newPolicy(0);
        policy.tryTake(5, millis(20_500));
        policy.tryTake(10, millis(22_000));
        policy.reconfigure(new FixedWindow(10, Duration.ofSeconds(10), true), millis(25_000));
        policy.giveBack(5, millis(20_500), millis(25_000));
        assertThat(policy.available(millis(25_000))).isZero();
        policy.giveBack(10, millis(22_000), millis(25_000));
        assertThat(policy.available(millis(25_000))).isEqualTo(10);
    }

    @Test
    @DisplayName("a permit that a shorter window counts from its change comes back")
    void shorterWindow() {
        PermitPolicy policy = new FixedWindow(10, Duration.ofSeconds(10)).newPolicy(0);
        policy.tryTake(10, millis(4_500));
        policy.reconfigure(new FixedWindow(10, Duration.ofSeconds(1)), millis(14_000));
        assertThat(policy.available(millis(14_000))).isZero();
        policy.giveBack(10, millis(4_500), millis(14_000));
        assertThat(policy.available(millis(14_000))).isEqualTo(10);
    }

    private static long millis(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    private static Duration length(SplittableRandom random) {
        return Duration.ofNanos(1 + random.nextInt(40));
    }

    private static void everySeed(long[] origins, BiFunction<Integer, SplittableRandom, Limit> limits) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            new Walk(seed, origins, limits).walk();
        }
    }

    /** So many permits, still out, of a request at that time. */
    private record Lease(int id, int permits, long at) {}

    private static final class Walk {

        private final SplittableRandom random;
        private final BiFunction<Integer, SplittableRandom, Limit> limits;
        private final long origin;
        private final int permits;
        private final PermitPolicy policy;
        private final Definition definition;
        private final List<Lease> leases = new ArrayList<>();
        private final StringBuilder trace = new StringBuilder();
        private long at;

        Walk(long seed, long[] origins, BiFunction<Integer, SplittableRandom, Limit> limits) {
            this.random = new SplittableRandom(seed);
            this.limits = limits;
            this.origin = origins[random.nextInt(origins.length)];
            this.permits = 1 + random.nextInt(12);
            Limit limit = limits.apply(permits, random);
            this.policy = limit.newPolicy(origin);
            this.definition = new Definition(Definition.rulesOf(limit), origin);
            trace.append("seed ")
                    .append(seed)
                    .append(" from ")
                    .append(origin)
                    .append(": ")
                    .append(limit);
        }

        void walk() {
            for (int step = 0; step < STEPS; step++) {
                at += random.nextInt(3) > 0 ? 0 : random.nextInt(30);
                switch (random.nextInt(8)) {
                    case 0 -> change(limits.apply(permits, random));
                    case 1, 2, 3 -> giveBack();
                    default -> take(step);
                }
                assertThat(policy.available(origin + at))
                        .as(trace.toString())
                        .isEqualTo(permits - definition.counting(origin + at));
            }
        }

        private void change(Limit limit) {
            trace.append("; at ").append(at).append(' ').append(limit);
            policy.reconfigure(limit, origin + at);
            definition.change(Definition.rulesOf(limit), origin + at);
        }

        private void take(int id) {
            int wanted = 1 + random.nextInt(permits);
            if (policy.tryTake(wanted, origin + at) == PermitPolicy.TAKEN) {
                Lease lease = new Lease(id, wanted, at);
                trace.append("; ").append(lease);
                leases.add(lease);
                definition.take(lease, origin + at);
            }
        }

        private void giveBack() {
            if (!leases.isEmpty()) {
                Lease lease = leases.remove(random.nextInt(leases.size()));
                trace.append("; at ").append(at).append(" back ").append(lease);
                policy.giveBack(lease.permits(), origin + lease.at(), origin + at);
                definition.giveBack(lease, origin + at);
            }
        }
    }

    /** Two windows that know which leases count in them, and forget all of them at their end. */
    private static final class Definition {

        private WindowRules rules;
        private long begin;
        private Map<Integer, Integer> present = new HashMap<>();
        private Map<Integer, Integer> previous = new HashMap<>();

        Definition(WindowRules rules, long now) {
            this.rules = rules;
            this.begin = rules.beginning(now);
        }

        static WindowRules rulesOf(Limit limit) {
            return limit instanceof FixedWindow fixed
                    ? WindowRules.of(fixed)
                    : limit instanceof TokenBucket bucket
                            ? WindowRules.of(bucket)
                            : WindowRules.of((SlidingWindowCounter) limit);
        }

        private void moveTo(long now) {
            for (; now - begin >= rules.nanos(); begin += rules.nanos()) {
                previous = present;
                present = new HashMap<>();
            }
            if (present.isEmpty() && rules.begin() == WindowRules.Begin.AT_FIRST_USE) {
                begin = now;
            }
        }

        void take(Lease lease, long now) {
            moveTo(now);
            present.put(lease.id(), lease.permits());
        }

        void giveBack(Lease lease, long now) {
            moveTo(now);
            present.remove(lease.id());
            previous.remove(lease.id());
        }

        /** What counts goes on counting, and in a window that is over by the change, from there on. */
        void change(WindowRules changed, long now) {
            moveTo(now);
            if (changed.begin() == WindowRules.Begin.AT_MULTIPLES || now - begin >= changed.nanos()) {
                begin = changed.beginning(now);
            }
            rules = changed;
        }

        long counting(long now) {
            moveTo(now);
            return sum(present) + (rules.weighed() ? rules.weight(sum(previous), now - begin) : 0);
        }

        private static long sum(Map<Integer, Integer> leases) {
            return leases.values().stream().mapToInt(Integer::intValue).sum();
        }
    }
}
