package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Concurrently;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a bucket that is refilled continuously holds when requests are settled late: as much as if they had been for what they
 * turned out to cost from the start.
 */
class SettledLateLawsTest {

    private static final int ROUNDS = 3000;

    private static final List<Limit> BUCKETS = List.of(
            new TokenBucket(100, 10, Duration.ofNanos(1000)),
            new TokenBucket(100, 3, Duration.ofNanos(1000)),
            new TokenBucket(7, 9, Duration.ofNanos(1)),
            new TokenBucket(40, 7, Duration.ofSeconds(3)).startingWith(13),
            new LeakyBucket(50, Duration.ofNanos(5000)).withSlack(20));

    private static final Limit OF_SHORT_ERAS =
            new TokenBucket(50, Integer.MAX_VALUE, Duration.ofMillis(5L * Integer.MAX_VALUE + 1));

    @Test
    @DisplayName("as if it had been asked for what was used, from the first settlement on until the bucket is full")
    void asIfFromTheStart() {
        for (Limit bucket :
                Stream.concat(BUCKETS.stream(), Stream.of(OF_SHORT_ERAS)).toList()) {
            for (int round = 0; round < ROUNDS; round++) {
                Trace trace = new Trace(bucket, round, PolicyTraces.ORIGINS[round % PolicyTraces.ORIGINS.length]);
                trace.warmUp();
                for (int step = 0; step < 60 && trace.missing() > 0; step++) {
                    trace.step();
                    assertThat(trace.missing()).as(trace.toString()).isEqualTo(trace.missingHadItBeenKnown());
                    trace.later(trace.random.nextInt(4) == 0 ? 0 : trace.gap());
                }
            }
        }
    }

    @Test
    @DisplayName(
            "never more than that, whenever it begins, whatever is taken at once or by a late clock, and however much is out")
    void neverMore() {
        for (Limit bucket : BUCKETS) {
            for (int round = 0; round < ROUNDS; round++) {
                Trace trace = new Trace(bucket, round, PolicyTraces.ORIGINS[round % PolicyTraces.ORIGINS.length]);
                for (int step = 0; step < 200; step++) {
                    trace.lateness = trace.gap() / 4;
                    trace.later(trace.random.nextBoolean() ? 0 : trace.gap());
                    trace.step();
                    assertThat(trace.missing())
                            .as(trace.toString())
                            .isGreaterThanOrEqualTo(trace.missingHadItBeenKnown());
                }
            }
        }
    }

    @Test
    @DisplayName("a bucket does not know takes before its memory began, though by a late clock")
    void beginsAfterAllThatWasTaken() {
        PermitPolicy policy = new TokenBucket(100, 100, Duration.ofNanos(1000)).newPolicy(0);
        policy.tryTake(10, 0);
        policy.tryTake(40, 1000);
        policy.tryTake(60, 1390);
        policy.settle(10, 0, false, 0, 900);
        policy.settle(40, 0, false, 1000, 1900);
        assertThat(policy.available(1900)).isEqualTo(90);
    }

    @Test
    @DisplayName("a late clock brings back no more than one in order, once takes are remembered")
    void settledByALateClock() {
        PermitPolicy policy = new TokenBucket(100, 100, Duration.ofNanos(1000)).newPolicy(0);
        policy.tryTake(3, 0);
        policy.settle(3, 2, false, 0, 0);
        policy.charge(98, 1);
        policy.charge(100, 100);
        policy.tryTake(50, 1900);
        policy.settle(100, 0, false, 100, 950);
        assertThat(policy.available(1900))
                .as("ten were missing all the time since")
                .isEqualTo(50);
    }

    @Test
    @DisplayName("calls that take ten times as long as their estimate takes to flow in use all that there is")
    void longCalls() {
        long second = 1_000_000_000L;
        PermitPolicy policy = new TokenBucket(6000, 6000, Duration.ofMinutes(1)).newPolicy(0);
        List<Long> underWay = new ArrayList<>();
        long used = 0;
        for (long now = 0; now < 600 * second; now += second / 100) {
            while (!underWay.isEmpty() && now - underWay.get(0) >= 5 * second) {
                policy.settle(50, 10, false, underWay.remove(0), now);
            }
            while (policy.tryTake(50, now) == PermitPolicy.TAKEN) {
                underWay.add(now);
                used += now < 60 * second ? 0 : 10;
            }
        }
        assertThat(used).as("of 100 a second, after the first minute").isGreaterThan(95 * 540);
    }

    @Test
    @Tag("storm")
    @DisplayName("nothing is lost or found among threads: what is settled for nothing at once has never been")
    void conserved() {
        PermitPolicy policy = new TokenBucket(1000, 1, Duration.ofDays(1)).newPolicy(0);
        Concurrently.run(8, thread -> {
            SplittableRandom random = new SplittableRandom(thread);
            for (int round = 0; round < 100_000; round++) {
                int permits = 1 + random.nextInt(100);
                if (policy.tryTake(permits, 0) == PermitPolicy.TAKEN) {
                    policy.settle(permits, 0, false, 0, 0);
                }
            }
        });
        assertThat(policy.available(0)).isEqualTo(1000);
    }

    /** What happens to a bucket, and what would have, had all been known. */
    private static final class Trace {

        final SplittableRandom random;
        private final String name;
        private final Limit bucket;
        private final Pace pace;
        private final long origin;
        private final PermitPolicy policy;
        private final List<Grant> grants = new ArrayList<>();
        private final List<Grant> open = new ArrayList<>();
        private long at;

        /** How old a clock may be by which permits are taken. */
        private long lateness;

        Trace(Limit bucket, int seed, long origin) {
            this.name = bucket + ", seed " + seed + ", origin " + origin;
            this.random = new SplittableRandom(seed);
            this.bucket = bucket;
            this.pace = bucket instanceof TokenBucket tokens ? Pace.of(tokens) : Pace.of((LeakyBucket) bucket);
            this.origin = origin;
            this.policy = bucket.newPolicy(origin);
        }

        /** Until it remembers all, before it is full. */
        void warmUp() {
            later(policy.nanosUntilFull(origin));
            take(2);
            long full = policy.nanosUntilFull(origin + at);
            settle(open.remove(0), 1);
            charge(bucket.capacity());
            later(full + 1);
        }

        long gap() {
            return random.nextLong(1 + random.nextLong(1 + pace.nanosAt(pace.room) / 4));
        }

        void later(long nanos) {
            at += nanos;
        }

        void step() {
            int kind = random.nextInt(10);
            if (kind == 0) {
                charge(1 + random.nextInt(bucket.capacity()));
            } else if (kind < 6 || open.isEmpty()) {
                take(2 + random.nextInt(bucket.capacity() - 1));
            } else {
                Grant grant = open.remove(random.nextInt(open.size()));
                settle(grant, random.nextInt(grant.permits));
            }
        }

        private void charge(int permits) {
            policy.charge(permits, origin + at);
            grants.add(new Grant(at, permits));
        }

        private void take(int permits) {
            long asked = Math.max(0, at - (random.nextInt(3) == 0 ? lateness : 0));
            if (policy.tryTake(permits, origin + asked) == PermitPolicy.TAKEN) {
                Grant grant = new Grant(asked, permits);
                grants.add(grant);
                open.add(grant);
            }
        }

        private void settle(Grant grant, int actual) {
            policy.settle(grant.permits, actual, false, origin + grant.at, origin + at);
            grant.permits = actual;
        }

        long missing() {
            return policy.nanosUntilFull(origin + at);
        }

        long missingHadItBeenKnown() {
            long initially = bucket instanceof TokenBucket tokens ? tokens.capacity() - tokens.initialTokens() : 0;
            long arrival = pace.costOf(initially);
            for (Grant grant : grants) {
                long then = grant.at * pace.unitsPerNano;
                arrival = (arrival >= then - pace.grace ? arrival : then) + pace.costOf(grant.permits);
            }
            return pace.nanosAt(Math.max(0, arrival - at * pace.unitsPerNano));
        }

        @Override
        public String toString() {
            return name + ", at " + at;
        }
    }

    private static final class Grant {

        private final long at;
        private int permits;

        Grant(long at, int permits) {
            this.at = at;
            this.permits = permits;
        }
    }
}
