package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Chains of chains over limiters and keys that they have in common, some of which share a limiter or have no room, asked, cancelled,
 * paused and changed at random.
 */
class ChainTreesTest {

    private static final int TREES = 2_000;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(20);

    @Test
    @DisplayName("every request is answered once or was cancelled, in the end, and nothing is left behind")
    void everyRequestEnds() {
        for (long seed = 0; seed < TREES; seed++) {
            Tree tree = new Tree(seed);
            assertTimeoutPreemptively(LONGEST, tree::liveAndRest, () -> "does not come to rest: " + tree);
            tree.check();
        }
    }

    private static final class Tree {

        private final long seed;
        private final Random random;
        private final SteppedTime time;
        private final List<RateLimiter> single = new ArrayList<>();
        private final List<RateLimiter> all = new ArrayList<>();
        private final List<Request> requests = new ArrayList<>();
        private final List<Lease> leases = new ArrayList<>();

        Tree(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.time = new SteppedTime(random.nextBoolean() ? -7 : Long.MAX_VALUE - SECOND.toNanos());
            for (int i = 0; i < 2 + random.nextInt(3); i++) {
                single.add(RateLimiter.builder(anyLimit()).timeSource(time).build());
            }
            all.addAll(single);
            PartitionedRateLimiter<Integer> keys = anyKeys();
            for (int key = 0; key < 4; key++) {
                all.add(keys.forKey(key));
            }
            for (int i = 0; i < 4; i++) {
                addChain();
            }
        }

        private Limit anyLimit() {
            int permits = 1 + random.nextInt(4);
            return switch (random.nextInt(5)) {
                case 0 -> Limit.of(permits, SECOND);
                case 1 -> Limit.tokenBucket(permits, 1 + random.nextInt(3), SECOND);
                case 2 -> Limit.concurrency(permits);
                case 3 -> Limit.fixedWindow(permits, SECOND);
                default -> Limit.leakyBucket(permits, SECOND);
            };
        }

        private PartitionedRateLimiter<Integer> anyKeys() {
            PartitionedRateLimiter.Builder<Integer> keys = PartitionedRateLimiter.<Integer>builder(
                            key -> Limit.of(2, SECOND))
                    .timeSource(time)
                    .maximumKeys(1 + random.nextInt(2));
            return random.nextBoolean()
                    ? keys.build()
                    : keys.overflowTo(Limit.of(2 + random.nextInt(3), SECOND)).build();
        }

        /** None where it would have a limiter twice. */
        private void addChain() {
            RateLimiter[] members = new RateLimiter[1 + random.nextInt(3)];
            for (int i = 0; i < members.length; i++) {
                members[i] = anyOf(all);
            }
            try {
                all.add(RateLimiter.chain(members));
            } catch (IllegalArgumentException twice) {
                assertThat(twice).hasMessageContaining("twice");
            }
        }

        private <T> T anyOf(List<T> several) {
            return several.get(random.nextInt(several.size()));
        }

        void liveAndRest() {
            live();
            comeToRest();
        }

        private void live() {
            for (int step = 5 + random.nextInt(40); step > 0; step--) {
                RateLimiter limiter = anyOf(all);
                int permits = random.nextInt(1 + Math.min(2, limiter.limit().capacity()));
                switch (random.nextInt(10)) {
                    case 0, 1, 2 -> requests.add(new Request(this, limiter, permits, Duration.ofDays(1)));
                    case 3 ->
                        requests.add(new Request(this, limiter, permits, Duration.ofMillis(random.nextInt(3_000))));
                    case 4 -> leases.add(limiter.tryAcquire(permits));
                    case 5 -> {
                        if (!requests.isEmpty()) {
                            anyOf(requests).cancel();
                        }
                    }
                    case 6, 7 -> time.advanceBy(Duration.ofMillis(random.nextInt(1_500)));
                    case 8 -> {
                        if (!leases.isEmpty()) {
                            endOf(anyOf(leases));
                        }
                    }
                    default -> disturb(limiter);
                }
            }
        }

        private void endOf(Lease lease) {
            if (random.nextBoolean()) {
                lease.close();
            } else {
                lease.giveBack();
            }
        }

        private void disturb(RateLimiter limiter) {
            Limit changed = anyLimit();
            if (single.contains(limiter)
                    && changed.getClass() == limiter.limit().getClass()) {
                limiter.reconfigure(changed);
            } else {
                limiter.pauseFor(Duration.ofMillis(random.nextInt(800)));
            }
        }

        private void comeToRest() {
            for (int i = 0; i < 400; i++) {
                time.advanceBy(SECOND.dividedBy(2));
                List.copyOf(leases).forEach(Lease::close);
            }
        }

        @Override
        public String toString() {
            return "seed " + seed;
        }

        void check() {
            assertThat(requests)
                    .as(toString())
                    .allSatisfy(request -> assertThat(request.told + (request.cancelled ? 1 : 0))
                            .isEqualTo(1));
            assertThat(single).as(toString()).allSatisfy(limiter -> {
                assertThat(limiter.statistics().queuedPermits()).isZero();
                assertThat(limiter.idleDuration()).isPresent();
            });
            assertThat(time.pendingTasks()).as(toString()).isZero();
        }
    }

    private static final class Request implements PermitListener {

        private final Tree tree;
        private final PermitRequest asked;
        private int told;
        private boolean cancelled;

        Request(Tree tree, RateLimiter limiter, int permits, Duration maxWait) {
            this.tree = tree;
            this.asked = limiter.acquire(permits, maxWait, this);
        }

        @Override
        public void onLease(Lease lease) {
            told++;
            tree.leases.add(lease);
        }

        void cancel() {
            cancelled |= asked.cancel();
        }
    }
}
