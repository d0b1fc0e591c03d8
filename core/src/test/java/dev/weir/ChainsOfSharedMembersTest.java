package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several chains that have members in common, as where each request makes its own. */
class ChainsOfSharedMembersTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(Long.MAX_VALUE - 3);

    private RateLimiter limiter(int permits) {
        return RateLimiter.builder(Limit.of(permits, SECOND)).timeSource(time).build();
    }

    @Test
    @DisplayName("a request with a permit of one member does not give way to those waiting for another")
    void nobodyMakesWayForEver() {
        RateLimiter all = limiter(2);
        List<RateLimiter> hosts = List.of(limiter(1), limiter(1));
        List<CompletableFuture<Lease>> requests = new ArrayList<>();
        for (int host : new int[] {0, 0, 0, 1, 0, 0, 1}) {
            requests.add(RateLimiter.chain(all, hosts.get(host)).acquire());
        }
        List<List<Integer>> granted = new ArrayList<>();
        for (int second = 0; second < 5; second++) {
            granted.add(doneOf(requests));
            time.advanceBy(SECOND);
        }
        assertThat(granted)
                .containsExactly(
                        List.of(0, 3),
                        List.of(0, 1, 3, 6),
                        List.of(0, 1, 2, 3, 6),
                        List.of(0, 1, 2, 3, 4, 6),
                        List.of(0, 1, 2, 3, 4, 5, 6));
        assertThat(time.pendingTasks()).isZero();
    }

    private static List<Integer> doneOf(List<CompletableFuture<Lease>> requests) {
        List<Integer> done = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            if (requests.get(i).isDone()) {
                done.add(i);
            }
        }
        return done;
    }

    @Test
    @DisplayName("a request keeps its age in the queue of another member, and overtakes none")
    void besideThoseWhoWaitAlone() {
        RateLimiter all = limiter(1);
        RateLimiter host = limiter(1);
        RateLimiter.chain(all, host).tryAcquire();
        CompletableFuture<Lease> first = all.acquire();
        time.advanceBy(1);
        CompletableFuture<Lease> second =
                RateLimiter.chain(host, all).acquire(); // waits at the host until that has one
        time.advanceBy(1);
        CompletableFuture<Lease> third = RateLimiter.chain(host, all).acquire();
        time.advanceBy(1);
        CompletableFuture<Lease> fourth = all.acquire();

        List<CompletableFuture<Lease>> inOrder = List.of(first, second, third, fourth);
        for (int done = 1; done <= inOrder.size(); done++) {
            time.advanceBy(SECOND);
            assertThat(doneOf(inOrder)).hasSize(done);
            assertThat(inOrder.get(done - 1)).isDone();
        }
    }

    @Test
    @DisplayName("a request for more than a member has is not overtaken there by smaller requests of other chains")
    void muchAtOnce() {
        RateLimiter all = limiter(3);
        all.tryAcquire(2);
        CompletableFuture<Lease> much = RateLimiter.chain(all, limiter(3)).acquire(3);
        time.advanceBy(1);
        RateLimiter host = limiter(1);
        host.tryAcquire();
        CompletableFuture<Lease> little = RateLimiter.chain(host, all).acquire();
        time.advanceBy(SECOND);
        assertThat(much).isDone();
        assertThat(little).isNotDone();
        time.advanceBy(SECOND);
        assertThat(little).isDone();
    }

    @Test
    @DisplayName("a chain's request goes before later ones at each member, even for more permits")
    void beforeThoseWhoWaitForMuch() {
        RateLimiter a = limiter(2);
        RateLimiter b = limiter(2);
        a.tryAcquire();
        b.tryAcquire();
        time.advanceBy(500_000_000);
        a.tryAcquire();
        b.tryAcquire();
        CompletableFuture<Lease> chain = RateLimiter.chain(a, b).acquire();
        time.advanceBy(1);
        List<CompletableFuture<Lease>> alone = List.of(a.acquire(2), b.acquire(2));
        time.advanceBy(500_000_000);
        assertThat(chain).isDone();
        assertThat(doneOf(alone)).isEmpty();
        time.advanceBy(SECOND);
        assertThat(doneOf(alone)).hasSize(2);
    }

    @ParameterizedTest(name = "{0} older ones")
    @ValueSource(ints = {0, 1})
    @DisplayName("a member's own maximum wait does not count the younger requests that wait there")
    void notBehindTheYounger(int olderOnes) {
        CompletableFuture<Lease> chain = comesToABoundedMember(olderOnes, 2 - olderOnes);
        time.advanceBy(40 + 50L * olderOnes - 1);
        assertThat(chain).isNotDone();
        time.advanceBy(1);
        assertThat(chain).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @ParameterizedTest(name = "within {0} nanoseconds")
    @ValueSource(longs = {51, 99, 110, Long.MAX_VALUE})
    @DisplayName("a member's own maximum wait counts the older requests that wait there, however long the chain's is")
    void behindTheOlder(long maxWait) {
        CompletableFuture<Lease> chain = comesToABoundedMember(2, 0, Duration.ofNanos(maxWait));
        assertThat(chain).isDone();
        assertThat(chain.join().reason()).contains(RefusalReason.MAX_WAIT);
    }

    private CompletableFuture<Lease> comesToABoundedMember(int olderOnes, int youngerOnes) {
        return comesToABoundedMember(olderOnes, youngerOnes, Duration.ofNanos(Long.MAX_VALUE));
    }

    /** Lets a chain's request come to a member that has its next permit after 40 nanoseconds, then one every 50. */
    private CompletableFuture<Lease> comesToABoundedMember(int olderOnes, int youngerOnes, Duration maxWait) {
        RateLimiter first =
                RateLimiter.builder(Limit.concurrency(1)).timeSource(time).build();
        RateLimiter bounded = RateLimiter.builder(Limit.of(1, Duration.ofNanos(50)))
                .maxWait(Duration.ofNanos(100))
                .timeSource(time)
                .build();
        Lease held = first.tryAcquire();
        bounded.tryAcquire();
        for (int i = 0; i < olderOnes; i++) {
            assertThat(bounded.acquire()).isNotDone();
        }
        CompletableFuture<Lease> chain = new CompletableFuture<>();
        RateLimiter.chain(first, bounded).acquire(1, maxWait, chain::complete);
        time.advanceBy(10);
        for (int i = 0; i < youngerOnes; i++) {
            assertThat(bounded.acquire()).isNotDone();
        }
        held.close();
        return chain;
    }

    @Test
    @DisplayName(
            "a request that waits for a chain is served though an older one, of a chain around it, goes on at once")
    void behindAnOlderOneThatMovesOn() {
        RateLimiter few = RateLimiter.builder(Limit.tokenBucket(3, 1, SECOND))
                .timeSource(time)
                .build();
        RateLimiter slots =
                RateLimiter.builder(Limit.concurrency(2)).timeSource(time).build();
        RateLimiter inner = RateLimiter.chain(few);
        RateLimiter outer = RateLimiter.chain(inner, slots);
        few.tryAcquire();
        List<Lease> held = List.of(slots.tryAcquire(), slots.tryAcquire());
        List<CompletableFuture<Lease>> older = List.of(outer.acquire(), outer.acquire());
        time.advanceBy(1);
        CompletableFuture<Lease> alone = inner.acquire(3);
        held.forEach(Lease::close);
        assertThat(doneOf(older)).hasSize(2);
        time.advanceBy(SECOND.multipliedBy(3));
        assertThat(alone).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName("a crowd that waits at each member alone keeps a chain waiting only as long as they have asked before")
    void besideCrowds() {
        RateLimiter a = limiter(2);
        RateLimiter b = limiter(2);
        a.tryAcquire(2);
        b.tryAcquire(2);
        List<CompletableFuture<Lease>> crowd = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            crowd.add(a.acquire());
            crowd.add(b.acquire());
        }
        time.advanceBy(1);
        CompletableFuture<Lease> chain = RateLimiter.chain(a, b).acquire();
        time.advanceBy(1);
        for (int second = 0; second < 4; second++) {
            assertThat(chain).isNotDone();
            for (int i = 0; i < 5; i++) {
                crowd.add(a.acquire());
                crowd.add(b.acquire());
            }
            time.advanceBy(SECOND);
        }
        assertThat(chain).isDone();
        assertThat(doneOf(crowd))
                .as("all who were before, and who found the rest")
                .hasSize(12 + 2);
    }

    @Test
    @DisplayName("a request of a chain has the same age in a chain that is its member")
    void inAChain() {
        RateLimiter a = limiter(1);
        RateLimiter b = limiter(1);
        RateLimiter c = limiter(1);
        RateLimiter inner = RateLimiter.chain(b, c);
        a.tryAcquire();
        inner.tryAcquire();
        CompletableFuture<Lease> first = RateLimiter.chain(a, inner).acquire();
        time.advanceBy(1);
        List<CompletableFuture<Lease>> later =
                List.of(inner.acquire(), RateLimiter.chain(c, b).acquire());
        time.advanceBy(SECOND);
        assertThat(first).isDone();
        assertThat(doneOf(later)).isEmpty();
        time.advanceBy(SECOND.multipliedBy(2));
        assertThat(doneOf(later)).hasSize(2);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233})
    @DisplayName(
            "at no time does anybody wait for whom all members have a permit, in order of age; and nothing is lost")
    void asFastAsLegal(long seed) {
        Random random = new Random(seed);
        PartitionedRateLimiter<Integer> keys = PartitionedRateLimiter.<Integer>builder(
                        key -> Limit.of(1 + key % 4, SECOND))
                .timeSource(time)
                .build();
        List<RateLimiter> members = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            // Keys are forgotten as soon as they can be, and come back
            members.add(
                    random.nextBoolean() ? limiter(1 + random.nextInt(4)) : keys.forKey(i * 10 + random.nextInt(4)));
        }
        List<Request> requests = new ArrayList<>();
        for (int step = 0; step < 600; step++) {
            if (requests.size() < 150 && random.nextBoolean()) {
                requests.add(new Request(someOf(members, random)));
            } else if (random.nextInt(20) == 0 && !requests.isEmpty()) {
                requests.get(random.nextInt(requests.size())).lease.cancel(false);
            } else {
                time.advanceBy(random.nextInt(4) == 0 ? 250_000_000 : random.nextInt(20_000_000));
            }
            assertNobodyWaitsInVain(requests, seed);
        }
        for (int second = 0; second < 200; second++) {
            time.advanceBy(SECOND);
            assertNobodyWaitsInVain(requests, seed);
        }
        assertThat(requests).as("seed %d", seed).allMatch(request -> request.lease.isDone());
        for (RateLimiter member : members) {
            assertThat(member.availablePermits())
                    .as("seed %d", seed)
                    .isEqualTo(member.limit().capacity());
            assertThat(member.statistics().queuedPermits()).isZero();
        }
        assertThat(time.pendingTasks()).isZero();
    }

    private static List<RateLimiter> someOf(List<RateLimiter> members, Random random) {
        List<RateLimiter> shuffled = new ArrayList<>(members);
        Collections.shuffle(shuffled, random);
        return shuffled.subList(0, 2 + random.nextInt(2));
    }

    private static void assertNobodyWaitsInVain(List<Request> requests, long seed) {
        for (Request request : requests) {
            assertThat(!request.lease.isDone()
                            && request.members.stream().allMatch(member -> member.availablePermits() > 0))
                    .as("seed %d: could go, and waits", seed)
                    .isFalse();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233})
    @DisplayName(
            "of those who ask the same members a few at most overtake one who is on the way from one member to another")
    void inOrderOfAge(long seed) {
        Random random = new Random(seed);
        RateLimiter all = limiter(4);
        List<RateLimiter> hosts = List.of(limiter(2), limiter(2), limiter(2));
        List<List<Integer>> granted = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < 80; i++) {
            int number = i;
            int host = random.nextInt(hosts.size());
            RateLimiter.chain(all, hosts.get(host))
                    .acquire(1, lease -> granted.get(host).add(number));
            if (random.nextInt(4) == 0) {
                time.advanceBy(random.nextInt(300_000_000));
            }
        }
        time.advanceBy(SECOND.multipliedBy(60));
        assertThat(granted.stream().mapToInt(List::size).sum())
                .as("seed %d", seed)
                .isEqualTo(80);
        for (List<Integer> ofHost : granted) {
            for (int i = 0; i < ofHost.size(); i++) {
                int one = ofHost.get(i);
                assertThat(ofHost.subList(0, i).stream().filter(other -> other > one))
                        .as("seed %d, who overtook %d", seed, one)
                        .hasSizeLessThanOrEqualTo(4);
            }
        }
    }

    /** What was asked of a chain of its own. */
    private static final class Request {

        private final List<RateLimiter> members;
        private final CompletableFuture<Lease> lease;

        private Request(List<RateLimiter> members) {
            this.members = List.copyOf(members);
            this.lease = RateLimiter.chain(members.toArray(RateLimiter[]::new)).acquire();
        }

        @Override
        public String toString() {
            return Arrays.toString(members.toArray()) + lease;
        }
    }
}
