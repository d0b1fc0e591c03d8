package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a chain says of itself and of its answers. */
class ChainFaceTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(-7);
    private final RateLimiter wide = limiter("wide", Limit.of(9, SECOND));
    private final RateLimiter narrow = limiter("narrow", Limit.tokenBucket(3, 1, SECOND));
    private final RateLimiter chain = RateLimiter.chain(wide, narrow);

    private RateLimiter limiter(String name, Limit limit) {
        return RateLimiter.builder(limit).name(name).timeSource(time).build();
    }

    @Test
    @DisplayName("it is named after its members, and has their limits")
    void name() {
        assertThat(chain.name()).isEqualTo("chain(wide, narrow)");
        assertThat(chain).hasToString("RateLimiter[chain(wide, narrow)]");
        assertThat(chain.limit()).isEqualTo(Limit.allOf(wide.limit(), narrow.limit()));
        assertThat(chain.limit()).as("as long as it is the same").isSameAs(chain.limit());
        assertThat(RateLimiter.chain(narrow).limit()).isEqualTo(narrow.limit());
        narrow.reconfigure(Limit.tokenBucket(2, 1, SECOND));
        assertThat(chain.limit()).isEqualTo(Limit.allOf(wide.limit(), Limit.tokenBucket(2, 1, SECOND)));
    }

    @Test
    @DisplayName("each member is there once, be it in a chain: who waits for one twice would wait for itself")
    void eachOnce() {
        PartitionedRateLimiter<String> keyed = PartitionedRateLimiter.of(wide.limit());
        assertThat(RateLimiter.chain(keyed.forKey("a"), keyed.forKey("b"))
                        .tryAcquire()
                        .isAcquired())
                .isTrue();
        for (RateLimiter[] twice : List.of(
                new RateLimiter[] {wide, wide},
                new RateLimiter[] {keyed.forKey("a"), keyed.forKey("a")},
                new RateLimiter[] {chain, narrow},
                new RateLimiter[] {chain, RateLimiter.chain(wide)})) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RateLimiter.chain(twice))
                    .withMessageContaining("twice");
        }
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimiter.chain((RateLimiter[]) null))
                .withMessage("limiters");
        assertThatNullPointerException()
                .isThrownBy(() -> RateLimiter.chain(wide, null))
                .withMessage("limiters[1]");
    }

    @Test
    @DisplayName("a member that closes refuses those who wait for good, and nobody can ask any more")
    void closedMember() {
        chain.tryAcquire(3);
        CompletableFuture<Lease> first = chain.acquire(3);
        CompletableFuture<Lease> behind = chain.acquire(1);
        narrow.close();
        for (CompletableFuture<Lease> each : List.of(first, behind)) {
            assertThat(each).isDone();
            assertThat(each.join().reason()).contains(RefusalReason.CLOSED);
            assertThat(each.join().refusedBy()).contains("narrow");
            assertThat(each.join().retryAfter()).isEmpty();
        }
        assertThatIllegalStateException().isThrownBy(() -> chain.tryAcquire()).withMessageContaining("narrow");
        assertThatIllegalStateException().isThrownBy(() -> chain.acquire()).withMessageContaining("narrow");
        assertThat(wide.availablePermits()).isEqualTo(6);
    }

    @Test
    @DisplayName("while it is paused, a bounded wait fits only if what comes after the pause fits, too")
    void boundedWaitBehindAPause() {
        for (RateLimiter limiter :
                List.of(limiter("one", Limit.of(1, SECOND)), RateLimiter.chain(limiter("one", Limit.of(1, SECOND))))) {
            limiter.pauseFor(SECOND.multipliedBy(10));
            PermitRequest first = limiter.acquire(1, SECOND.multipliedBy(10), lease -> {});
            List<Lease> answers = new ArrayList<>();
            limiter.acquire(1, SECOND.multipliedBy(11).minusNanos(1), answers::add);
            PermitRequest second = limiter.acquire(1, SECOND.multipliedBy(11), lease -> {});
            assertThat(first.isSettled()).isFalse();
            assertThat(second.isSettled()).isFalse();
            assertThat(answers).hasSize(1);
            assertThat(answers.get(0).reason()).contains(RefusalReason.MAX_WAIT);
        }
    }

    @Test
    @DisplayName(
            "the pause of one member counts in what the refusal by another says, and in whether a bounded wait fits")
    void pausedMember() {
        Duration pause = SECOND.multipliedBy(5);
        for (RateLimiter paused : List.of(narrow, RateLimiter.chain(limiter("inner", Limit.of(1, SECOND))))) {
            RateLimiter full = limiter("full", Limit.of(1, SECOND));
            RateLimiter both = RateLimiter.chain(full, paused);
            full.tryAcquire();
            paused.pauseFor(pause);
            Lease refused = both.tryAcquire();
            assertThat(refused.refusedBy()).contains("full");
            assertThat(refused.retryAfter()).contains(pause);
            List<Lease> answers = new ArrayList<>();
            both.acquire(1, pause.minusNanos(1), answers::add);
            assertThat(answers).hasSize(1);
            assertThat(answers.get(0).reason()).contains(RefusalReason.MAX_WAIT);
            both.acquire(1, pause.plusNanos(1), answers::add);
            assertThat(answers).hasSize(1);
            time.advanceBy(pause);
            assertThat(answers).hasSize(2);
            assertThat(answers.get(1).isAcquired()).isTrue();
        }
    }

    @Test
    @DisplayName("permits are between zero and the least capacity, however they are asked for")
    void permits() {
        for (int wrong : new int[] {-1, 4}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> chain.tryAcquire(wrong))
                    .withMessageContaining("" + wrong);
            assertThatIllegalArgumentException().isThrownBy(() -> chain.acquire(wrong));
            assertThatIllegalArgumentException().isThrownBy(() -> chain.acquire(wrong, lease -> {}));
        }
        assertThat(chain.tryAcquire(0).isAcquired()).isTrue();
        Lease most = chain.tryAcquire(3);
        assertThat(most.isAcquired()).isTrue();
        assertThat(most.permits()).isEqualTo(3);
        assertThat(most.retryAfter()).isEmpty();
        assertThat(most.cause()).isEmpty();
        assertThat(chain.tryAcquire(0).isAcquired()).isFalse();
    }

    @Test
    @DisplayName("a refusal says who refused and when to come back, and is counted")
    void refusal() {
        chain.tryAcquire(3);
        Lease refused = chain.tryAcquire(2);
        assertThat(refused.isAcquired()).isFalse();
        assertThat(refused.permits()).isEqualTo(2);
        assertThat(refused.refusedBy()).contains("narrow");
        assertThat(refused.reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(refused.retryAfter()).contains(SECOND.multipliedBy(2));
        assertThat(refused.cause()).isEmpty();
        assertThat(chain.statistics()).isEqualTo(new RateLimiterStatistics(0, 0, 1, 1));
        assertThat(wide.availablePermits()).isEqualTo(6);
    }

    @Test
    @DisplayName("a refusal says by its place which one refused, whatever their names and whatever they consist of")
    void refusedAt() {
        RateLimiter twin = limiter("narrow", narrow.limit());
        RateLimiter nested = RateLimiter.chain(limiter("first", Limit.of(9, SECOND)), twin);
        RateLimiter both = RateLimiter.chain(narrow, nested);
        assertThat(both.tryAcquire(2).refusedAt()).isEmpty();
        twin.charge(1);

        Lease refused = both.tryAcquire(1);
        assertThat(refused.refusedBy()).contains("narrow");
        assertThat(refused.refusedAt()).hasValue(1);
        List<Lease> answers = new ArrayList<>();
        both.acquire(1, Duration.ofMillis(1), answers::add);
        assertThat(answers.get(0).refusedAt()).as("no wait is short enough").hasValue(1);
        assertThat(narrow.tryAcquire().refusedAt()).as("no chain").isEmpty();

        both.pauseFor(SECOND);
        assertThat(both.tryAcquire(1).refusedAt()).as("the chain itself").isEmpty();
    }

    @Test
    @DisplayName("whose time is up was refused by the member that the first of the chain waits for")
    void waitedAt() {
        RateLimiter room = limiter("room", Limit.concurrency(1));
        RateLimiter through = RateLimiter.chain(wide, room);
        assertThat(through.tryAcquire().isAcquired()).isTrue();
        List<Lease> answers = new ArrayList<>();
        through.acquire(1, SECOND, answers::add);
        through.acquire(1, SECOND, answers::add);

        time.advanceBy(SECOND);

        assertThat(answers).hasSize(2).allSatisfy(refused -> {
            assertThat(refused.reason()).contains(RefusalReason.MAX_WAIT);
            assertThat(refused.refusedBy()).contains("room");
            assertThat(refused.refusedAt()).hasValue(1);
        });
    }

    @Test
    @DisplayName(
            "what the others granted and got back delays nobody: the answer says when the one that refused has permits")
    void retryOnceAllIsBack() {
        for (Limit untouched : List.of(Limit.of(1, SECOND.multipliedBy(60)), Limit.concurrency(1))) {
            RateLimiter exhausted = limiter("exhausted", Limit.of(1, SECOND));
            exhausted.tryAcquire();
            RateLimiter both = RateLimiter.chain(limiter("untouched", untouched), exhausted);
            assertThat(both.tryAcquire(1).retryAfter()).contains(SECOND);
            time.advanceBy(SECOND.minusNanos(1));
            assertThat(both.tryAcquire(1).isAcquired()).isFalse();
            time.advanceBy(1);
            assertThat(both.tryAcquire(1).isAcquired()).isTrue();
        }
    }

    @Test
    @DisplayName("who comes after one who waits is refused until that one is due, unless he only looks")
    void behindOneWhoWaits() {
        chain.tryAcquire(2);
        CompletableFuture<Lease> waiting = chain.acquire(2);
        Lease behind = chain.tryAcquire(1);
        assertThat(behind.reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(behind.retryAfter()).isPresent();
        assertThat(chain.tryAcquire(0).isAcquired()).isTrue();
        assertThat(chain.statistics()).isEqualTo(new RateLimiterStatistics(1, 2, 2, 1));
        time.advanceBy(SECOND);
        assertThat(waiting.join().isAcquired()).isTrue();
        assertThat(chain.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("a pause holds up everybody, and the answer says for how long")
    void pause() {
        chain.pauseFor(Duration.ZERO);
        assertThat(chain.tryAcquire(1).isAcquired()).isTrue();
        chain.pauseFor(SECOND);
        Lease refused = chain.tryAcquire(1);
        assertThat(refused.reason()).contains(RefusalReason.PAUSED);
        assertThat(refused.retryAfter()).contains(SECOND);
        assertThat(chain.availablePermits()).isZero();
        CompletableFuture<Lease> waiting = chain.acquire();
        time.advanceBy(SECOND.minusNanos(1));
        assertThat(waiting).isNotDone();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(waiting.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("it is idle for as long as the member that was used last, and not while anybody waits or it is paused")
    void idle() {
        time.advanceBy(SECOND);
        assertThat(chain.idleDuration()).contains(SECOND);
        wide.tryAcquire();
        assertThat(chain.idleDuration()).isEmpty();
        time.advanceBy(SECOND.multipliedBy(3));
        assertThat(chain.idleDuration()).contains(SECOND.multipliedBy(2));
        chain.pauseFor(SECOND);
        assertThat(chain.idleDuration()).isEmpty();
        time.advanceBy(SECOND);
        assertThat(chain.idleDuration()).isEqualTo(wide.idleDuration());
    }

    @Test
    @DisplayName("a lease is given back as a whole, once, unless it was used; settling corrects each member")
    void leases() {
        Lease given = chain.tryAcquire(2);
        given.giveBack();
        given.giveBack();
        assertThat(chain.statistics()).isEqualTo(new RateLimiterStatistics(3, 0, 0, 0));
        assertThat(wide.availablePermits()).isEqualTo(9);
        Lease settled = chain.tryAcquire(2);
        assertThatIllegalArgumentException().isThrownBy(() -> settled.settle(-1));
        settled.settle(0);
        assertThat(chain.availablePermits()).isEqualTo(3);
        settled.giveBack();
        assertThat(chain.statistics().acquired()).isEqualTo(1);
        Lease closed = chain.tryAcquire(1);
        closed.close();
        closed.giveBack();
        assertThat(chain.statistics()).isEqualTo(new RateLimiterStatistics(2, 0, 2, 0));
    }

    @Test
    @DisplayName("who waits keeps the place at the member it waits at, before those who came there later")
    void keepsItsPlace() {
        RateLimiter slow = limiter("slow", Limit.of(1, SECOND));
        slow.tryAcquire();
        CompletableFuture<Lease> waiting = RateLimiter.chain(wide, slow).acquire();
        CompletableFuture<Lease> later = slow.acquire();
        time.advanceBy(SECOND);
        assertThat(waiting).isDone();
        assertThat(waiting.join().isAcquired()).isTrue();
        assertThat(later).isNotDone();
    }

    @Test
    @DisplayName("who must wait anew at a member before gives up the place at the one behind it, and what came there")
    void givesUpItsPlace() {
        RateLimiter first = limiter("first", Limit.of(1, SECOND.multipliedBy(5)));
        RateLimiter second = limiter("second", Limit.of(1, SECOND));
        second.tryAcquire();
        CompletableFuture<Lease> waiting = RateLimiter.chain(first, second).acquire();
        assertThat(first.tryAcquire().isAcquired()).isTrue();
        time.advanceBy(SECOND);
        assertThat(waiting).isNotDone();
        assertThat(second.statistics().queuedPermits()).isZero();
        assertThat(second.tryAcquire().isAcquired()).isTrue();
        time.advanceBy(SECOND.multipliedBy(4));
        assertThat(waiting).isDone();
        assertThat(waiting.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("while it is paused it stands in nobody's way at its members")
    void pausedStandsBack() {
        wide.tryAcquire(9);
        CompletableFuture<Lease> waiting = chain.acquire(1);
        assertThat(wide.statistics().queuedPermits()).isEqualTo(1);
        chain.pauseFor(SECOND.multipliedBy(2));
        assertThat(wide.statistics().queuedPermits()).isZero();
        time.advanceBy(SECOND.multipliedBy(2).minusNanos(1));
        assertThat(waiting).isNotDone();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(waiting).isDone();
        assertThat(waiting.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("who waits behind another and has become too large for a member is refused when its turn comes")
    void tooLargeMeanwhile() {
        chain.tryAcquire(3);
        CompletableFuture<Lease> first = chain.acquire(1);
        CompletableFuture<Lease> tooLarge = chain.acquire(3);
        CompletableFuture<Lease> third = chain.acquire(1);
        narrow.reconfigure(Limit.tokenBucket(2, 1, SECOND));
        time.advanceBy(SECOND.multipliedBy(2)); // one for what was taken beyond the new capacity
        assertThat(first).isDone();
        assertThat(tooLarge).isDone();
        assertThat(first.join().isAcquired()).isTrue();
        assertThat(tooLarge.join().reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(tooLarge.join().retryAfter()).isEmpty();
        time.advanceBy(SECOND);
        assertThat(third).isDone();
        assertThat(third.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("who leaves while a member refuses is not counted as refused, and nothing stays taken")
    void leavesWhileRefused() {
        RateLimiter full = limiter("full", Limit.of(1, SECOND.multipliedBy(9)));
        full.tryAcquire();
        List<PermitRequest> leaving = new ArrayList<>();
        RateLimiter refusing = (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("acquire")) {
                        return method.invoke(full, arguments);
                    }
                    leaving.forEach(PermitRequest::cancel);
                    ((PermitListener) arguments[1]).onLease(full.tryAcquire());
                    return SettledRequest.INSTANCE;
                });
        RateLimiter both = RateLimiter.chain(wide, refusing);
        wide.tryAcquire(9);
        List<Lease> answers = new ArrayList<>();
        leaving.add(both.acquire(1, answers::add));
        time.advanceBy(SECOND);
        assertThat(answers).isEmpty();
        assertThat(both.statistics()).isEqualTo(new RateLimiterStatistics(0, 0, 0, 0));
        assertThat(wide.availablePermits()).isEqualTo(9);
    }

    @Test
    @DisplayName("closed, it answers nobody any more and leaves its members open")
    void closed() {
        chain.tryAcquire(3);
        List<Lease> answers = new ArrayList<>();
        PermitRequest waiting = chain.acquire(1, answers::add);
        assertThat(waiting.isSettled()).isFalse();
        chain.close();
        assertThat(waiting.isSettled()).isTrue();
        assertThat(answers.get(0).reason()).contains(RefusalReason.CLOSED);
        assertThat(answers.get(0).retryAfter()).isEmpty();
        assertThatIllegalStateException().isThrownBy(() -> chain.tryAcquire(1));
        assertThatIllegalStateException().isThrownBy(() -> chain.acquire(1));
        assertThatIllegalStateException().isThrownBy(() -> chain.charge(1));
        assertThatIllegalStateException().isThrownBy(() -> chain.pauseFor(SECOND));
        assertThat(wide.tryAcquire().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a member of somebody else's making is asked by taking and giving back")
    void memberOfAnotherKind() {
        RateLimiter mixed = RateLimiter.chain(wide, new Foreign(narrow));
        assertThat(mixed.tryAcquire(3).isAcquired()).isTrue();
        assertThat(mixed.tryAcquire(2).retryAfter()).isEqualTo(Optional.of(SECOND.multipliedBy(2)));
        CompletableFuture<Lease> waiting = mixed.acquire(1);
        assertThat(mixed.tryAcquire(1).retryAfter()).isEqualTo(Optional.of(SECOND));
        time.advanceBy(SECOND);
        assertThat(waiting.join().isAcquired()).isTrue();
        assertThat(wide.availablePermits()).isEqualTo(8);
    }

    @Test
    @DisplayName("a member of somebody else's making keeps what it had when another refuses")
    void memberOfAnotherKindThatCould() {
        RateLimiter mixed = RateLimiter.chain(narrow, new Foreign(wide));
        assertThat(mixed.tryAcquire(3).isAcquired()).isTrue();
        assertThat(mixed.tryAcquire(1).retryAfter()).contains(SECOND);
        assertThat(wide.availablePermits()).isEqualTo(6);
    }

    @Test
    @DisplayName("whoever asks has a request to withdraw, bounded or not, and nothing is left of it")
    void requests() {
        chain.tryAcquire(3);
        List<Lease> answers = new ArrayList<>();
        PermitRequest bounded = chain.acquire(1, SECOND.multipliedBy(5), answers::add);
        PermitRequest unbounded = chain.acquire(1, answers::add);
        PermitRequest impatient = chain.acquire(1, Duration.ZERO, answers::add);
        assertThat(impatient.isSettled()).isTrue();
        assertThat(answers).hasSize(1);
        assertThat(bounded.cancel()).isTrue();
        assertThat(unbounded.cancel()).isTrue();
        assertThat(bounded.isSettled()).isTrue();
        time.advanceBy(SECOND.multipliedBy(9));
        assertThat(answers).hasSize(1);
        assertThat(chain.statistics().queuedPermits()).isZero();
        assertThat(wide.availablePermits()).isEqualTo(9);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName(
            "an answer says who decided and what was the matter: the member that refused, or the one furthest away")
    void whoDecided() {
        Throwable reset = new IllegalStateException("reset");
        Elsewhere policy = new Elsewhere();
        RateLimiter remote = RateLimiter.builder(Limit.of(5, SECOND))
                .name("remote")
                .policies((limit, key, now) -> policy)
                .timeSource(time)
                .build();
        RateLimiter mixed = RateLimiter.chain(wide, remote);
        assertThat(chain.tryAcquire(1).source()).isEqualTo(DecisionSource.LOCAL);
        assertThat(mixed.tryAcquire(1).source()).isEqualTo(DecisionSource.REMOTE);
        policy.trouble = reset;
        Lease refused = mixed.tryAcquire(1);
        assertThat(refused.reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        assertThat(refused.source()).isEqualTo(DecisionSource.FALLBACK);
        assertThat(refused.cause()).contains(reset);
        assertThat(refused.retryAfter()).isEmpty();
        assertThat(refused.refusedBy()).contains("remote");
    }

    /** Has a permit for everybody, unless it is in trouble. */
    private static final class Elsewhere implements PermitPolicy {

        @Nullable
        Throwable trouble;

        @Override
        public long tryTake(int permits, long nowNanos) {
            return trouble == null ? TAKEN : AWAIT_SIGNAL;
        }

        @Override
        public @Nullable Throwable trouble(long nowNanos) {
            return trouble;
        }

        @Override
        public DecisionSource source(long nowNanos) {
            return trouble == null ? DecisionSource.REMOTE : DecisionSource.FALLBACK;
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {}

        @Override
        public void charge(int permits, long nowNanos) {}

        @Override
        public long available(long nowNanos) {
            return trouble == null ? 5 : 0;
        }

        @Override
        public long nanosUntilFull(long nowNanos) {
            return 0;
        }
    }
}
