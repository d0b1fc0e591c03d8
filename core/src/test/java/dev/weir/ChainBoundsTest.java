package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.BiFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A chain's request that may wait for a time only may wait at its members for what is left of that. */
class ChainBoundsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final SteppedTime time = new SteppedTime(Long.MAX_VALUE - SECOND.toNanos());
    private final List<Lease> answers = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final AnswersLater store = new AnswersLater();
    private final RateLimiter far = RateLimiter.builder(Limit.of(9, HOUR))
            .name("far")
            .policies((limit, key, now) -> store)
            .timeSource(time)
            .build();
    private final RateLimiter free = limiter("free", Limit.of(1_000, HOUR));

    private RateLimiter limiter(String name, Limit limit) {
        return builder(name, limit).timeSource(time).build();
    }

    private RateLimiter.Builder builder(String name, Limit limit) {
        return RateLimiter.builder(limit).name(name).observer(new RateLimiterObserver() {
            @Override
            public void onAcquired(int permits, long waitedNanos, DecisionSource source) {
                told.add(name + " acquired");
            }

            @Override
            public void onRefused(int permits, RefusalReason reason, DecisionSource source) {
                told.add(name + " refused " + reason);
            }

            @Override
            public void onCancelled(int permits, long waitedNanos) {
                told.add(name + " cancelled");
            }
        });
    }

    private RateLimiter usedUp(String name, Limit limit) {
        RateLimiter limiter = limiter(name, limit);
        limiter.tryAcquire(limit.capacity());
        told.clear();
        return limiter;
    }

    private Lease onlyAnswer() {
        assertThat(answers).hasSize(1);
        return answers.get(0);
    }

    /** Knows nothing until it has been told that there is no permit for an hour. */
    private static final class AnswersLater extends StatelessPolicy {

        private Runnable signal = () -> {};
        private boolean hasAnswered;

        @Override
        public long tryTake(int permits, long nowNanos) {
            return hasAnswered ? HOUR.toNanos() : AWAIT_SIGNAL;
        }

        @Override
        public long nanosUntilDecided(int permits, long nowNanos) {
            return hasAnswered ? 0 : SECOND.toNanos();
        }

        @Override
        public long available(long nowNanos) {
            return 0;
        }

        @Override
        public void signalTo(Runnable runnable) {
            signal = runnable;
        }

        void answer() {
            hasAnswered = true;
            signal.run();
        }
    }

    /** Has permits from the moment on at which it is looked at for the nth time. */
    private static final class AnswersWhenLookedAt extends StatelessPolicy {

        private Runnable signal = () -> {};
        private final int answered;
        private int looks;
        private int permits;

        AnswersWhenLookedAt(int answered) {
            this.answered = answered;
        }

        @Override
        public long tryTake(int wanted, long nowNanos) {
            if (wanted > permits) {
                return AWAIT_SIGNAL;
            }
            permits -= wanted;
            return TAKEN;
        }

        @Override
        public long nanosAtLeast(long requestsAhead, long ahead, int wanted, long nowNanos) {
            if (--looks == 0) {
                answer();
            }
            return 0;
        }

        @Override
        public void giveBack(int returned, long takenAtNanos, long nowNanos) {
            permits += returned;
        }

        @Override
        public long available(long nowNanos) {
            return permits;
        }

        @Override
        public void signalTo(Runnable runnable) {
            signal = runnable;
        }

        void answer() {
            permits += answered;
            signal.run();
        }
    }

    private RateLimiter asking(PermitPolicy policy) {
        return asking(policy, time);
    }

    private static RateLimiter asking(PermitPolicy policy, SteppedTime clock) {
        return RateLimiter.builder(Limit.of(9, HOUR))
                .name("asked")
                .policies((limit, key, now) -> policy)
                .timeSource(clock)
                .build();
    }

    /**
     * Has as many requests wait in a chain as its last member has permits, and the store answer as the last of them is judged: at the
     * first look at it, in another chain at the second, and so on, and once after all looks.
     */
    private void answeredAtEachLook(int requests, BiFunction<PermitPolicy, RateLimiter, RateLimiter> chainOf) {
        boolean isReached = true;
        int looks = 0;
        while (isReached) {
            AnswersWhenLookedAt policy = new AnswersWhenLookedAt(requests);
            RateLimiter last = limiter("last", Limit.of(requests, HOUR));
            RateLimiter chain = chainOf.apply(policy, last);
            answers.clear();
            for (int ahead = 1; ahead < requests; ahead++) {
                chain.acquire(1, SECOND.multipliedBy(2), answers::add);
            }
            looks++;
            policy.looks = looks;
            chain.acquire(1, SECOND.multipliedBy(2), answers::add);
            isReached = policy.looks <= 0;
            if (!isReached) {
                policy.answer();
            }
            assertThat(answers).as("at the look %d", looks).hasSize(requests).allMatch(Lease::isAcquired);
            assertThat(last.availablePermits()).isZero();
        }
        assertThat(looks).as("looks, and one").isGreaterThan(1);
    }

    private RateLimiter chainOf(boolean nested, PermitPolicy policy, RateLimiter last) {
        RateLimiter asked = asking(policy);
        return RateLimiter.chain(nested ? RateLimiter.chain(asked, limiter("another", last.limit())) : asked, last);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("it is not refused for what it has just been granted itself, whenever a store answers")
    void answeredWhileItIsJudged(boolean nested) {
        answeredAtEachLook(1, (policy, last) -> chainOf(nested, policy, last));
    }

    @Test
    @DisplayName("the same where the member that a store answers has another clock")
    void answeredOnAnotherClockWhileItIsJudged() {
        answeredAtEachLook(1, (policy, last) -> RateLimiter.chain(free, asking(policy, new SteppedTime(0)), last));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("nor is one behind it refused for that")
    void answeredWhileOneBehindIsJudged(boolean nested) {
        answeredAtEachLook(2, (policy, last) -> chainOf(nested, policy, last));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("nor for what is just being taken for one ahead")
    void judgedWhileOneAheadTakes(boolean nested) {
        Queue<Runnable> meanwhile = new ArrayDeque<>();
        RateLimiter taking = RateLimiter.builder(Limit.of(2, HOUR))
                .policies((limit, key, now) -> InterleavingPolicies.whenTaken(limit.newPolicy(now), () -> {
                    Runnable next = meanwhile.poll();
                    if (next != null) {
                        next.run();
                    }
                }))
                .timeSource(time)
                .build();
        RateLimiter first = nested ? RateLimiter.chain(taking, free) : taking;
        RateLimiter chain = RateLimiter.chain(first, limiter("wide", Limit.of(9, HOUR)));
        first.pauseFor(SECOND);
        chain.acquire(1, SECOND.multipliedBy(2), answers::add);
        meanwhile.add(() -> chain.acquire(1, SECOND, answers::add));
        time.advanceBy(SECOND);
        assertThat(answers).hasSize(2).allMatch(Lease::isAcquired);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("it is refused as soon as a member knows that it would have to wait longer")
    void refusedByTheAnswer(boolean nested) {
        RateLimiter last = nested ? RateLimiter.chain(far, limiter("another", Limit.of(9, HOUR))) : far;
        RateLimiter.chain(free, last).acquire(1, SECOND.multipliedBy(2), answers::add);
        time.advanceBy(Duration.ofMillis(5));
        assertThat(answers).isEmpty();

        store.answer();

        Lease refused = onlyAnswer();
        assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT);
        assertThat(refused.refusedBy()).contains("far");
        assertThat(refused.retryAfter()).contains(HOUR);
        assertThat(time.pendingTasks()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "the member that is known to make it wait too long refuses it at once, whichever is undecided, and tells its time")
    void refusedByTheOneThatKnows(boolean nested) {
        RateLimiter few = usedUp("few", Limit.of(1, HOUR));
        RateLimiter last = nested ? RateLimiter.chain(free, few) : few;
        RateLimiter.chain(far, last).acquire(1, SECOND.multipliedBy(2), answers::add);

        Lease refused = onlyAnswer();
        assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT);
        assertThat(refused.refusedBy()).contains("few");
        assertThat(refused.refusedAt()).hasValue(1);
        assertThat(refused.retryAfter()).contains(HOUR);
        assertThat(told).containsExactly("few refused MAX_WAIT");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    @DisplayName("behind another request of the chain, too, that member is named, with its time")
    void namedBehindOthers(int permits) {
        RateLimiter few = usedUp("few", Limit.of(1, HOUR));
        RateLimiter chain = RateLimiter.chain(far, few);
        chain.acquire(1, ignored -> {});

        chain.acquire(permits, SECOND.multipliedBy(2), answers::add);

        Lease refused = onlyAnswer();
        assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT);
        assertThat(refused.refusedBy()).contains("few");
        assertThat(refused.retryAfter()).contains(HOUR);
    }

    @Test
    @DisplayName(
            "it is refused at once, too, if a member was asked first that makes room for a key, and so grants after all")
    void refusedBehindAKeyWithoutRoom() {
        PartitionedRateLimiter<String> keys = PartitionedRateLimiter.<String>builder(key -> Limit.of(5, SECOND))
                .timeSource(time)
                .maximumKeys(1)
                .overflowTo(Limit.tokenBucket(1, 1, HOUR.multipliedBy(2)))
                .build();
        assertThat(keys.tryAcquire("has the only room", 1).isAcquired()).isTrue();
        assertThat(keys.tryAcquire("uses the overflow up", 1).isAcquired()).isTrue();
        RateLimiter key = keys.forKey("key");
        time.advanceBy(SECOND.multipliedBy(2));

        RateLimiter room = usedUp("room", Limit.concurrency(1));
        RateLimiter.chain(key, room, usedUp("few", Limit.of(1, HOUR)))
                .acquire(1, SECOND.multipliedBy(30), answers::add);

        assertThat(onlyAnswer().refusedBy()).contains("few");
        assertThat(onlyAnswer().retryAfter()).contains(HOUR);
    }

    @Test
    @DisplayName("the member with the longest wait is named, though the chain waits at another")
    void namedThoughWaitingElsewhere() {
        RateLimiter chain = RateLimiter.chain(usedUp("short", Limit.of(1, SECOND)), usedUp("long", Limit.of(1, HOUR)));
        chain.acquire(1, ignored -> {});
        chain.acquire(1, SECOND.multipliedBy(3), answers::add);
        assertThat(onlyAnswer().refusedBy()).contains("long");
        assertThat(onlyAnswer().refusedAt()).hasValue(1);
    }

    @Test
    @DisplayName("a request that waits at a member when the chain is paused for too long is refused by the chain")
    void pausedWhileWaiting() {
        RateLimiter room = usedUp("room", Limit.concurrency(1));
        RateLimiter chain = RateLimiter.chain(room, limiter("hourly", Limit.of(1, HOUR)));
        chain.acquire(1, SECOND.multipliedBy(5), answers::add);
        chain.pauseFor(SECOND.multipliedBy(10));
        assertThat(onlyAnswer().refusedAt()).isEmpty();
    }

    @Test
    @DisplayName("a pause that is too long is no member's, though a member would make the request wait, too")
    void pausedBefore() {
        RateLimiter chain = RateLimiter.chain(usedUp("short", Limit.of(1, SECOND)), free);
        chain.pauseFor(SECOND.multipliedBy(10));
        chain.acquire(1, SECOND.multipliedBy(5), answers::add);
        assertThat(onlyAnswer().refusedAt()).isEmpty();
    }

    @Test
    @DisplayName("those ahead at a member may move on without a permit, so they do not make a bound too short")
    void behindOneThatMovesOn() {
        RateLimiter shared = usedUp("shared", Limit.of(1, SECOND));
        RateLimiter.chain(shared, usedUp("hourly", Limit.of(1, HOUR))).acquire(1, ignored -> {});
        RateLimiter.chain(shared, free).acquire(1, SECOND.plusMillis(500), answers::add);
        time.advanceBy(SECOND);
        assertThat(onlyAnswer().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("the member that had no permits counts it as refused")
    void countedAtTheMember() {
        RateLimiter few = usedUp("few", Limit.of(1, HOUR));
        RateLimiter.chain(free, few).acquire(1, SECOND, answers::add);
        assertThat(told).contains("few refused MAX_WAIT").doesNotContain("few cancelled");
        assertThat(few.statistics().refused()).isEqualTo(1);
    }

    @Test
    @DisplayName("so does the member at which it waits when its time is up, once")
    void countedAtTheBound() {
        RateLimiter room = usedUp("room", Limit.concurrency(1));
        RateLimiter chain = RateLimiter.chain(room, free);
        chain.acquire(1, SECOND, answers::add);
        time.advanceBy(SECOND.minusNanos(1));
        assertThat(told).isEmpty();
        time.advanceBy(1);
        assertThat(onlyAnswer().reason()).contains(RefusalReason.MAX_WAIT);
        assertThat(told).containsExactly("room refused MAX_WAIT");
        assertThat(chain.statistics().refused()).isEqualTo(1);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a member to which it comes later lets it wait for what is left")
    void whatIsLeft() {
        RateLimiter room = limiter("room", Limit.concurrency(1));
        RateLimiter second = limiter("second", Limit.of(1, SECOND.multipliedBy(3)));
        RateLimiter chain = RateLimiter.chain(room, second);
        for (Duration bound :
                List.of(SECOND.multipliedBy(4), SECOND.multipliedBy(4).minusNanos(1))) {
            answers.clear();
            Lease held = room.tryAcquire();
            chain.acquire(1, bound, answers::add);
            time.advanceBy(SECOND);
            second.tryAcquire();
            held.close();
            boolean fits = bound.equals(SECOND.multipliedBy(4));
            assertThat(answers).hasSize(fits ? 0 : 1);
            time.advanceBy(SECOND.multipliedBy(3));
            assertThat(onlyAnswer().isAcquired()).isEqualTo(fits);
            onlyAnswer().close();
            time.advanceBy(SECOND.multipliedBy(3));
        }
    }

    @Test
    @DisplayName("a member's own maximum wait counts as well: the shorter of the two")
    void shorterOfTheTwo() {
        RateLimiter room = builder("room", Limit.concurrency(1))
                .maxWait(SECOND.multipliedBy(2))
                .timeSource(time)
                .build();
        Lease held = room.tryAcquire();
        RateLimiter chain = RateLimiter.chain(free, room);
        for (int bound : new int[] {1, 3}) {
            answers.clear();
            chain.acquire(1, SECOND.multipliedBy(bound), answers::add);
            time.advanceBy(SECOND.multipliedBy(Math.min(bound, 2)).minusNanos(1));
            assertThat(answers).isEmpty();
            time.advanceBy(1);
            assertThat(onlyAnswer().reason()).contains(RefusalReason.MAX_WAIT);
        }
        held.close();
        assertThat(room.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("a member with another clock does not measure it: the chain's own clock does")
    void anotherClock() {
        SteppedTime another = new SteppedTime(0);
        RateLimiter room =
                builder("room", Limit.of(1, HOUR)).timeSource(another).build();
        room.tryAcquire();
        RateLimiter chain = RateLimiter.chain(free, room);
        chain.acquire(1, HOUR, answers::add);
        room.pauseFor(HOUR.multipliedBy(2));
        another.advanceBy(HOUR.multipliedBy(2));
        assertThat(onlyAnswer().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("however many have the same bound, all are refused when it is over")
    void manyAtOnce() {
        RateLimiter room = usedUp("room", Limit.concurrency(1));
        RateLimiter chain = RateLimiter.chain(limiter("wide", Limit.of(100_000, HOUR)), room);
        for (int i = 0; i < 10_000; i++) {
            chain.acquire(1, SECOND, answers::add);
        }
        time.advanceBy(SECOND);
        assertThat(answers).hasSize(10_000).allSatisfy(refused -> {
            assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT);
            assertThat(refused.refusedBy()).contains("room");
        });
        assertThat(time.pendingTasks()).isZero();
    }
}
