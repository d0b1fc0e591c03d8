package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limiter of a key as a member of a chain, as where each user has a limit and all have one together. */
class KeyInChainTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(-7);
    private final List<String> heard = new ArrayList<>();
    private final RateLimiter global =
            RateLimiter.builder(Limit.of(2, SECOND)).timeSource(time).build();

    private PartitionedRateLimiter.Builder<Integer> users() {
        return PartitionedRateLimiter.<Integer>builder(user -> Limit.of(1, SECOND))
                .timeSource(time)
                .observer(new RateLimiterObserver() {
                    @Override
                    public void onAcquired(int permits, long waitedNanos) {
                        heard.add("acquired");
                    }

                    @Override
                    public void onRefused(int permits, RefusalReason reason) {
                        heard.add("refused");
                    }
                });
    }

    @Test
    @DisplayName("first in a chain, its time is the chain's")
    void time() {
        RateLimiter chain = RateLimiter.chain(users().build().forKey(1), global);
        chain.pauseFor(SECOND);
        assertThat(chain.tryAcquire().retryAfter()).contains(SECOND);
        CompletableFuture<Lease> waiting = chain.acquire();
        time.advanceBy(SECOND.minusNanos(1));
        assertThat(waiting).isNotDone();
        time.advanceBy(1);
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName("a request of a chain counts as one answer of a key, and looks at waits without asking")
    void askedOnce() {
        RateLimiter user = users().build().forKey(1);
        RateLimiter chain = RateLimiter.chain(user, global);
        user.tryAcquire();
        assertThat(heard).containsExactly("acquired");
        assertThat(chain.tryAcquire().retryAfter()).contains(SECOND);
        assertThat(heard).containsExactly("acquired", "refused");
        List<Lease> answers = new ArrayList<>();
        chain.acquire(1, SECOND.minusNanos(1), answers::add);
        assertThat(answers).extracting(Lease::reason).containsExactly(Optional.of(RefusalReason.MAX_WAIT));
        assertThat(heard).containsExactly("acquired", "refused", "refused");
    }

    @Test
    @DisplayName(
            "a key that nobody has asked for yet is asked together with the other members, its limit looked up outside of theirs")
    void askedForTheFirstTime() {
        AtomicBoolean lookedUp = new AtomicBoolean();
        PartitionedRateLimiter<Integer> fresh = PartitionedRateLimiter.<Integer>builder(user -> {
                    lookedUp.set(true);
                    assertThat(global.tryAcquire().isAcquired())
                            .as("nobody is held up")
                            .isTrue();
                    return Limit.of(1, SECOND);
                })
                .timeSource(time)
                .build();
        List<Integer> waited = new ArrayList<>();
        RateLimiter all = RateLimiter.builder(Limit.of(1, SECOND))
                .timeSource(time)
                .observer(new RateLimiterObserver() {
                    @Override
                    public void onAcquired(int permits, long waitedNanos) {
                        waited.add(permits);
                    }
                })
                .build();
        CompletableFuture<Lease> first = RateLimiter.chain(all, fresh.forKey(1)).acquire();
        assertThat(lookedUp).isTrue();
        assertThat(first).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(waited).as("told once").containsExactly(1);
    }

    @Test
    @DisplayName("a permit of a key that another member refuses counts as acquired once, and comes back")
    void grantedAndUndone() {
        RateLimiter user = users().build().forKey(1);
        global.tryAcquire(2);
        assertThat(RateLimiter.chain(user, global).tryAcquire().retryAfter()).contains(SECOND);
        assertThat(heard).containsExactly("acquired");
        assertThat(user.availablePermits()).isEqualTo(1);
        assertThat(user.statistics().acquired()).isZero();
    }

    @Test
    @DisplayName("a refusal by a chain includes the wait for room for a key, whichever member refuses")
    void withoutRoom() {
        PartitionedRateLimiter<Integer> users = users().maximumKeys(1).build();
        users.tryAcquire(1, 1);
        time.advanceBy(SECOND.dividedBy(2));
        global.tryAcquire(2);
        RateLimiter slow = RateLimiter.builder(Limit.of(1, SECOND.dividedBy(4)))
                .timeSource(time)
                .build();
        slow.tryAcquire();
        for (RateLimiter chain :
                List.of(RateLimiter.chain(users.forKey(2), slow), RateLimiter.chain(slow, users.forKey(2)))) {
            assertThat(chain.tryAcquire().retryAfter()).contains(SECOND.dividedBy(2));
        }
        RateLimiter withAll = RateLimiter.chain(global, users.forKey(2));
        time.advanceBy(SECOND.dividedBy(2));
        assertThat(withAll.tryAcquire().retryAfter()).contains(SECOND.dividedBy(2));
    }

    @Test
    @DisplayName("with a key that is closed, or all of them, a chain is as closed, and takes nothing from the others")
    void closed() {
        PartitionedRateLimiter<Integer> users = users().build();
        List<RateLimiter> keys = List.of(users.forKey(1), users.forKey(2));
        keys.get(0).close();
        assertThatIllegalStateException().isThrownBy(RateLimiter.chain(global, keys.get(0))::tryAcquire);
        users.close();
        assertThatIllegalStateException().isThrownBy(RateLimiter.chain(global, keys.get(1))::tryAcquire);
        assertThatIllegalStateException().isThrownBy(RateLimiter.chain(global, keys.get(1))::acquire);
        assertThat(global.availablePermits()).isEqualTo(2);
        assertThat(global.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("two keys of one table are asked together, also where each is forgotten as soon as it is not used")
    void twoKeys() {
        PartitionedRateLimiter<Integer> users = users().build();
        RateLimiter both = RateLimiter.chain(users.forKey(1), users.forKey(2));
        assertThat(both.acquire()).isCompletedWithValueMatching(Lease::isAcquired);
        CompletableFuture<Lease> waiting = both.acquire();
        time.advanceBy(SECOND);
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName(
            "two keys that have room for one are refused, as one of them is; where further ones share a limit, that is asked twice")
    void twoKeysBeyondTheBound() {
        PartitionedRateLimiter<Integer> few = users().maximumKeys(2).build();
        few.tryAcquire(9, 1);
        CompletableFuture<Lease> refused =
                RateLimiter.chain(few.forKey(1), few.forKey(2)).acquire();
        assertThat(refused).isDone();
        assertThat(refused.join().reason()).contains(RefusalReason.EXHAUSTED);

        PartitionedRateLimiter<Integer> shared =
                users().maximumKeys(1).overflowTo(Limit.of(2, SECOND)).build();
        shared.tryAcquire(9, 1);
        RateLimiter both = RateLimiter.chain(shared.forKey(1), shared.forKey(2));
        assertThat(both.acquire()).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(both.tryAcquire().isAcquired()).isFalse();
    }

    @Test
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("a chain refuses two keys with room for one, also within another chain, in any order")
    void twoKeysBeyondTheBoundInAChain() {
        PartitionedRateLimiter<Integer> few = users().maximumKeys(1).build();
        for (boolean innerFirst : new boolean[] {false, true}) {
            RateLimiter inner = RateLimiter.chain(few.forKey(2), global);
            RateLimiter both =
                    innerFirst ? RateLimiter.chain(inner, few.forKey(1)) : RateLimiter.chain(few.forKey(1), inner);
            CompletableFuture<Lease> refused = both.acquire();
            assertThat(refused).isDone();
            assertThat(refused.join().reason()).contains(RefusalReason.EXHAUSTED);
            assertThat(global.availablePermits()).isEqualTo(2);
        }
    }

    @Test
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName(
            "keys that share a limiter unseen, as one is wrapped, come back for it until there is enough, and not all the time")
    void keysThatShareUnseen() {
        PartitionedRateLimiter<Integer> shared = sharing(Limit.of(2, SECOND));
        assertThat(shared.tryAcquire(8, 1).isAcquired()).isTrue();
        CompletableFuture<Lease> both = RateLimiter.chain(shared.forKey(1), new ForeignLimiter(shared.forKey(2)))
                .acquire();
        time.advanceBy(SECOND.minusNanos(1));
        assertThat(both).isNotDone();
        time.advanceBy(SECOND);
        assertThat(both.join().isAcquired()).isTrue();

        RateLimiter one =
                RateLimiter.builder(Limit.of(1, SECOND)).timeSource(time).build();
        CompletableFuture<Lease> never = new CompletableFuture<>();
        RateLimiter.chain(one, new ForeignLimiter(one)).acquire(1, SECOND, never::complete);
        time.advanceBy(SECOND);
        assertThat(never.join().reason()).contains(RefusalReason.MAX_WAIT);
        assertThat(never.join().refusedAt()).isPresent();
        assertThat(one.availablePermits()).isEqualTo(1);
    }

    private PartitionedRateLimiter<Integer> sharing(Limit limit) {
        PartitionedRateLimiter<Integer> shared =
                users().maximumKeys(1).overflowTo(limit).build();
        shared.tryAcquire(9, 1);
        return shared;
    }

    @Test
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("two keys that share a limiter wait until that has permits for both, each in its turn")
    void twoKeysThatShare() {
        PartitionedRateLimiter<Integer> shared = sharing(Limit.of(2, SECOND));
        assertThat(shared.tryAcquire(8, 1).isAcquired()).isTrue();
        List<CompletableFuture<Lease>> both = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            both.add(RateLimiter.chain(shared.forKey(1), shared.forKey(2)).acquire());
            both.add(RateLimiter.chain(shared.forKey(3), global, shared.forKey(4))
                    .acquire());
        }
        CompletableFuture<Lease> bounded = new CompletableFuture<>();
        RateLimiter.chain(shared.forKey(1), shared.forKey(2)).acquire(1, SECOND.dividedBy(2), bounded::complete);
        assertThat(bounded.join().reason()).contains(RefusalReason.MAX_WAIT);
        for (int served = 1; served <= both.size(); served++) {
            time.advanceBy(SECOND.minusNanos(1));
            assertThat(both.stream().filter(CompletableFuture::isDone)).hasSize(served - 1);
            time.advanceBy(1);
            assertThat(both.stream().filter(CompletableFuture::isDone)).hasSize(served);
        }
        assertThat(both).allSatisfy(each -> assertThat(each.join().isAcquired()).isTrue());
    }

    @Test
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName(
            "two keys that share a limiter without room for both, ever, are refused, as are those that time says nothing of")
    void twoKeysThatNeverFit() {
        List<Limit> never = List.of(
                Limit.of(1, SECOND),
                Limit.leakyBucket(100, SECOND),
                Limit.of(1, SECOND).countingCalls(),
                Limit.allOf(Limit.of(5, SECOND), Limit.leakyBucket(100, SECOND)),
                Limit.concurrency(2));
        for (Limit limit : never) {
            PartitionedRateLimiter<Integer> shared = sharing(limit);
            if (limit.equals(Limit.concurrency(2))) {
                assertThat(shared.tryAcquire(8, 1).isAcquired()).isTrue();
            }
            CompletableFuture<Lease> both =
                    RateLimiter.chain(shared.forKey(1), shared.forKey(2)).acquire();
            assertThat(both).isDone();
            assertThat(both.join().reason()).contains(RefusalReason.EXHAUSTED);
            assertThat(both.join().retryAfter()).isEmpty();
            assertThat(shared.tryAcquire(7, 1).isAcquired())
                    .as("nothing is held")
                    .isTrue();
        }
    }

    @Test
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName(
            "keys that share a limiter wait if it will have permits for all at once, however it counts or starts; else they are refused")
    void keysThatFitOnce() {
        List<Limit> limits = List.of(
                Limit.leakyBucket(100, SECOND).withSlack(1),
                Limit.of(2, SECOND).countingCalls(),
                Limit.fixedWindow(2, SECOND),
                Limit.allOf(Limit.of(5, SECOND), Limit.tokenBucket(2, 2, SECOND)),
                Limit.tokenBucket(2, 2, SECOND).startingWith(1));
        for (Limit limit : limits) {
            PartitionedRateLimiter<Integer> shared = sharing(limit);
            assertThat(shared.tryAcquire(8, 1).isAcquired()).isTrue();
            CompletableFuture<Lease> both =
                    RateLimiter.chain(shared.forKey(1), shared.forKey(2)).acquire();
            CompletableFuture<Lease> three = RateLimiter.chain(shared.forKey(1), shared.forKey(2), shared.forKey(3))
                    .acquire();
            assertThat(both).as("%s", limit).isNotDone();
            time.advanceBy(SECOND.multipliedBy(2));
            assertThat(both).as("%s", limit).isCompletedWithValueMatching(Lease::isAcquired);
            assertThat(three).as("%s", limit).isCompletedWithValueMatching(lease -> !lease.isAcquired());
        }
    }

    @Test
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName(
            "keys that share a limiter wait for it together, or are refused, also where they are in a chain of their own")
    void keysThatShareInAChain() {
        for (int permits = 2; permits <= 3; permits++) {
            PartitionedRateLimiter<Integer> shared = sharing(Limit.of(permits, SECOND));
            assertThat(shared.tryAcquire(8, 1).isAcquired()).isTrue();
            RateLimiter inner = RateLimiter.chain(shared.forKey(1), shared.forKey(2));
            CompletableFuture<Lease> all =
                    RateLimiter.chain(inner, shared.forKey(3)).acquire();
            time.advanceBy(SECOND.minusNanos(1));
            assertThat(all).isNotDone();
            CompletableFuture<Lease> keepsItsKey = shared.acquire(9, 1);
            time.advanceBy(1);
            assertThat(keepsItsKey).isDone();
            assertThat(all).isDone();
            assertThat(all.join().isAcquired()).isEqualTo(permits == 3);
            assertThat(shared.tryAcquire(7, permits == 3 ? 1 : permits).isAcquired())
                    .as("nothing is held")
                    .isEqualTo(permits != 3);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "a limit function that throws when the turn comes of one who waits in the chain refuses that one with the cause")
    void throwingLimitFunction(boolean byState) {
        AtomicBoolean broken = new AtomicBoolean();
        PartitionedRateLimiter<Integer> users = PartitionedRateLimiter.<Integer>builder(user -> {
                    if (broken.get()) {
                        throw byState ? new IllegalStateException("broken") : new IllegalArgumentException("broken");
                    }
                    return Limit.of(2, SECOND);
                })
                .timeSource(time)
                .maximumKeys(1)
                .build();
        users.tryAcquire(2, 1);
        RateLimiter chain = RateLimiter.chain(global, users.forKey(1)); // for which there is no room
        global.tryAcquire(2);
        List<CompletableFuture<Lease>> waiting = List.of(chain.acquire(2), chain.acquire(1), chain.acquire(0));
        broken.set(true);
        time.advanceBy(SECOND);
        for (CompletableFuture<Lease> each : waiting) {
            assertThat(each).isDone();
            assertThat(each.join().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
            assertThat(each.join().cause().orElseThrow()).hasMessage("broken");
        }
        assertThat(global.availablePermits()).isEqualTo(2);
        broken.set(false);
        assertThat(chain.statistics().queuedPermits()).isZero();
        assertThat(chain.acquire(2)).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName(
            "the limit that a key had when it was asked for holds when the turn comes, though the key is forgotten meanwhile")
    void forgottenMeanwhile() {
        AtomicBoolean broken = new AtomicBoolean();
        PartitionedRateLimiter<Integer> users = PartitionedRateLimiter.<Integer>builder(user -> {
                    assertThat(broken).isFalse();
                    return Limit.of(2, SECOND);
                })
                .timeSource(time)
                .build();
        RateLimiter chain = RateLimiter.chain(global, users.forKey(1));
        global.tryAcquire(2);
        List<CompletableFuture<Lease>> waiting = List.of(chain.acquire(1), chain.acquire(1), chain.acquire(0));
        assertThat(users.keyCount()).as("nothing is known of the key").isZero();
        broken.set(true);
        time.advanceBy(SECOND.multipliedBy(2));
        assertThat(waiting).allSatisfy(each -> assertThat(each).isCompletedWithValueMatching(Lease::isAcquired));
    }

    @Test
    @DisplayName(
            "a key for which there is no room is asked by what all further ones share, when the turn comes of who waits")
    void sharedByFurtherOnes() {
        PartitionedRateLimiter<Integer> users =
                users().maximumKeys(1).overflowTo(Limit.of(1, SECOND)).build();
        users.tryAcquire(2, 1);
        global.tryAcquire(2);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int user = 3; user < 6; user++) {
            users.tryAcquire(2, 1); // stays
            waiting.add(RateLimiter.chain(global, users.forKey(user)).acquire());
        }
        time.advanceBy(SECOND.minusNanos(1));
        users.tryAcquire(2, 1);
        time.advanceBy(1);
        assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSizeGreaterThanOrEqualTo(1);
        time.advanceBy(SECOND.multipliedBy(3));
        assertThat(waiting).allSatisfy(each -> assertThat(each).isCompletedWithValueMatching(Lease::isAcquired));
    }
}
