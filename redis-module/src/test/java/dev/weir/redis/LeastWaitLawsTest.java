package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * How long a request has to wait at least, as a node derives it from the latest answer, is no longer than the policy in the state that
 * the answer tells of would say: nobody is refused at once who would be served in time.
 */
class LeastWaitLawsTest {

    private static final int SEEDS = 2_000;
    private static final int STEPS = 12;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static final List<Limit> SINGLE = List.of(
            Limit.of(1, SECOND),
            Limit.of(2, SECOND),
            Limit.of(10, SECOND),
            Limit.of(100, MINUTE),
            Limit.slidingWindow(10, SECOND, 4),
            Limit.slidingWindowCounter(1, SECOND),
            Limit.slidingWindowCounter(7, SECOND),
            Limit.slidingWindowCounter(100, MINUTE),
            Limit.fixedWindow(1, SECOND),
            Limit.fixedWindow(5, SECOND),
            Limit.fixedWindow(5, SECOND).aligned(),
            Limit.tokenBucket(10, 10, SECOND),
            Limit.tokenBucket(10, 3, SECOND),
            Limit.tokenBucket(3, 10, SECOND),
            Limit.tokenBucket(1, 7, SECOND),
            Limit.tokenBucket(10, 4, SECOND).startingWith(0),
            Limit.tokenBucket(10, 3, SECOND).refillingInSteps(),
            Limit.tokenBucket(3, 10, SECOND).refillingInSteps(),
            Limit.leakyBucket(1, SECOND),
            Limit.leakyBucket(10, SECOND),
            Limit.leakyBucket(10, SECOND).withSlack(3),
            Limit.leakyBucket(3, SECOND).withSlack(12),
            Limit.concurrency(3));

    /** Of those the wait is known exactly, not merely a bound of it. */
    private static final List<Limit> EXACT = List.of(
            Limit.of(1, SECOND),
            Limit.of(2, SECOND),
            Limit.tokenBucket(10, 10, SECOND),
            Limit.tokenBucket(10, 3, SECOND),
            Limit.tokenBucket(3, 10, SECOND),
            Limit.leakyBucket(1, SECOND),
            Limit.leakyBucket(10, SECOND),
            Limit.of(1, SECOND).countingCalls(),
            Limit.leakyBucket(1, SECOND).countingCalls());

    @Test
    @DisplayName("of a limit of any kind, whether it counts permits or requests")
    void single() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Limit limit = any(random);
            new Walk(limit, random, "seed " + seed).play(false);
        }
    }

    @Test
    @DisplayName("of several limits together, each of which has periods of its own")
    void several() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Limit limit = random.nextInt(3) == 0
                    ? Limit.allOf(any(random), any(random), any(random))
                    : Limit.allOf(any(random), any(random));
            new Walk(limit, random, "seed " + seed).play(false);
        }
    }

    @Test
    @DisplayName("a least wait is exact where an answer tells all: what cannot fit is refused at once")
    void exactly() {
        for (Limit limit : EXACT) {
            for (long seed = 1; seed <= SEEDS / 40; seed++) {
                new Walk(limit, new SplittableRandom(seed), "seed " + seed).play(true);
            }
        }
    }

    private static Limit any(SplittableRandom random) {
        Limit limit = SINGLE.get(random.nextInt(SINGLE.size()));
        return random.nextInt(4) == 0 ? limit.countingCalls() : limit;
    }

    /** A policy that is used, and a node that hears of it. */
    private static final class Walk {

        private final Limit limit;
        private final SplittableRandom random;
        private final String what;
        private final VirtualTimeSource time;
        private final PermitPolicy policy;
        private final FleetPolicy fleet;
        private final int largest;

        Walk(Limit limit, SplittableRandom random, String what) {
            this.limit = limit;
            this.random = random;
            this.what = what;
            this.time = new VirtualTimeSource(random.nextInt(2) == 0 ? -1 : 1_234_567_890);
            this.policy = limit.newPolicy(time.nanoTime());
            Store store = (kept, question, listener) -> listener.answered(answer());
            this.fleet = ModelFleet.policy(limit, store, Nodes.node(), time, ModelFleet.SETTINGS);
            this.largest = Math.min(limit.capacity(), 20);
        }

        void play(boolean exactly) {
            for (int step = 0; step < STEPS; step++) {
                use();
                long unused = fleet.available(time.nanoTime()); // asks
                Answer told = answer();
                long later = random.nextInt(2) * random.nextLong(2_000_000_000);
                for (int asked = 0; asked < 10; asked++) {
                    compare(told, later, exactly);
                }
            }
        }

        private void compare(Answer told, long later, boolean exactly) {
            long at = time.nanoTime() + later;
            long ahead = random.nextInt(3) * random.nextLong(3L * largest);
            int permits = 1 + random.nextInt(largest);
            long requests = ahead == 0 ? 0 : 1 + random.nextLong(ahead);
            long least = policy.nanosAtLeast(requests, ahead, permits, at);
            assertThat(fleet.nanosAtLeast(requests, ahead, permits, at))
                    .as(() -> "%s, %s: %s after %d ns, %d behind %d in %d requests"
                            .formatted(what, limit, told, later, permits, ahead, requests))
                    .isBetween(exactly ? least - 1 : 0, least);
        }

        private void use() {
            long longest = random.nextInt(2) == 0 ? 400_000_000 : 3_000_000_000L;
            time.advanceBy(Duration.ofNanos(1 + random.nextInt(3) * random.nextLong(longest)));
            long now = time.nanoTime();
            for (int requests = random.nextInt(4); requests > 0; requests--) {
                long unused = policy.tryTake(1 + random.nextInt(largest), now);
            }
            switch (random.nextInt(8)) {
                case 0 -> policy.charge(1 + random.nextInt(2 * largest), now);
                case 1 -> policy.release(1, now);
                default -> {}
            }
        }

        /** What the store would answer to a look. */
        private Answer answer() {
            long now = time.nanoTime();
            long available = policy.available(now);
            int next = (int) Math.min(limit.capacity(), Math.max(0, available) + 1);
            return new Answer(
                    now,
                    0,
                    0,
                    available,
                    told(policy.nanosUntil(0, next, now)),
                    told(policy.nanosUntil(0, limit.capacity(), now)),
                    told(policy.nanosUntilFull(now)),
                    List.of());
        }

        private static long told(long nanos) {
            return nanos == PermitPolicy.AWAIT_SIGNAL ? Answer.UNKNOWN : nanos;
        }
    }
}
