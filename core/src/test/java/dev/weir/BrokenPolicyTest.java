package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.handle.Caught;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A policy of somebody's own that cannot tell how long a wait will be, or tells one that cannot be. */
class BrokenPolicyTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(-7);
    private final Policy policy = new Policy();
    private final List<Lease> answers = new ArrayList<>();
    private final RateLimiter limiter = RateLimiter.builder(Limit.of(5, SECOND))
            .policies((limit, key, now) -> policy)
            .timeSource(time)
            .build();

    /** Has permits once it is open. Belongs to one thread. */
    private static final class Policy extends StatelessPolicy {

        private boolean open;
        private long wait = SECOND.toNanos();
        private int asked;
        private @Nullable Runnable meanwhile;
        private @Nullable Throwable trouble;
        private @Nullable Throwable takeTrouble;
        private @Nullable Throwable decideTrouble;
        private long undecided;
        private boolean isSourceBroken;

        @Override
        public DecisionSource source(long nowNanos) {
            if (isSourceBroken) {
                throw new IllegalStateException("on purpose");
            }
            return DecisionSource.REMOTE;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            Caught.rethrow(takeTrouble);
            assertThat(++asked).as("asked again and again").isLessThan(99);
            Runnable once = meanwhile;
            meanwhile = null;
            if (once != null) {
                once.run();
            }
            return open ? TAKEN : wait;
        }

        @Override
        public long nanosUntil(long ahead, int permits, long nowNanos) {
            Caught.rethrow(trouble);
            return open ? 0 : SECOND.toNanos();
        }

        @Override
        public long nanosUntilDecided(int permits, long nowNanos) {
            Caught.rethrow(decideTrouble);
            return undecided;
        }

        @Override
        public long available(long nowNanos) {
            return open ? 5 : 0;
        }

        @Override
        public long nanosUntilFull(long nowNanos) {
            return open ? 0 : SECOND.toNanos();
        }
    }

    @ParameterizedTest
    @MethodSource("troubles")
    @DisplayName(
            "who waits for a policy that cannot tell whether it is undecided is refused with the cause, and blocks no other")
    void troubleWhenDecided(Throwable trouble) {
        policy.undecided = SECOND.toNanos();
        List<CompletableFuture<Lease>> others = List.of(limiter.acquire(2), limiter.acquire(1));
        limiter.acquire(1, Duration.ZERO, answers::add);
        policy.decideTrouble = trouble;
        time.advanceBy(SECOND);
        assertThat(others)
                .allSatisfy(request -> assertThat(request)
                        .isCompletedWithValueMatching(lease -> lease.cause().equals(Optional.of(trouble))));
        assertThat(answers).singleElement().matches(lease -> lease.cause().equals(Optional.of(trouble)));
        assertThat(limiter.statistics().queuedPermits()).isZero();
        policy.decideTrouble = null;
        policy.open = true;
        assertThat(limiter.acquire()).isCompletedWithValueMatching(Lease::isAcquired);
    }

    /** A checked one is what other languages than Java may throw. */
    static List<Throwable> troubles() {
        return List.of(
                new IllegalStateException("on purpose"),
                new AssertionError("on purpose"),
                new IOException("on purpose"));
    }

    private PermitRequest askWithBound() {
        return limiter.acquire(1, SECOND.multipliedBy(9), answers::add);
    }

    @ParameterizedTest
    @MethodSource("troubles")
    @DisplayName("a bounded request that the policy fails is refused with the cause, and blocks no other")
    void refused(Throwable trouble) {
        policy.trouble = trouble;
        assertThat(askWithBound().isSettled()).isTrue();
        assertThat(answers).hasSize(1);
        assertThat(answers.get(0).reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
        assertThat(answers.get(0).cause()).contains(trouble);
        assertThat(answers.get(0).retryAfter()).isEmpty();
        assertThat(limiter.statistics().queuedPermits()).isZero();
        policy.open = true;
        assertThat(limiter.tryAcquire().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a request that came after the failed one at the same time waits, and is served")
    void othersWait() {
        CompletableFuture<Lease> first = limiter.acquire();
        policy.trouble = new IllegalStateException("on purpose");
        List<CompletableFuture<Lease>> behind = new ArrayList<>();
        policy.meanwhile = () -> {
            askWithBound();
            behind.add(limiter.acquire());
            behind.add(limiter.acquire(5));
        };
        time.advanceBy(SECOND);
        assertThat(answers).hasSize(1);
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(7);
        policy.open = true;
        time.advanceBy(SECOND);
        assertThat(first).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(behind).hasSize(2).allMatch(CompletableFuture::isDone);
        assertThat(limiter.statistics().queuedPermits()).isZero();
    }

    @ParameterizedTest
    @MethodSource("troubles")
    @DisplayName("a request for permits that cannot be taken is refused with the cause, and blocks no other")
    void troubleWhenServed(Throwable trouble) {
        CompletableFuture<Lease> first = limiter.acquire();
        CompletableFuture<Lease> second = limiter.acquire();
        policy.takeTrouble = trouble;
        time.advanceBy(SECOND);
        assertThat(List.of(first, second))
                .allSatisfy(request -> assertThat(request)
                        .isCompletedWithValueMatching(lease -> lease.cause().equals(Optional.of(trouble))));
        assertThat(limiter.statistics().queuedPermits()).isZero();
        policy.takeTrouble = null;
        policy.open = true;
        assertThat(limiter.acquire()).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @Test
    @DisplayName("a request is answered though the policy cannot tell its source")
    void untoldSource() {
        CompletableFuture<Lease> first = limiter.acquire();
        policy.isSourceBroken = true;
        policy.open = true;
        time.advanceBy(SECOND);
        assertThat(first).isCompletedWithValueMatching(Lease::isAcquired);
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.LOCAL);
        assertThat(limiter.tryConsume(1)).isTrue();
        policy.open = false;
        CompletableFuture<Lease> last = limiter.acquire();
        policy.takeTrouble = new AssertionError("on purpose");
        time.advanceBy(SECOND);
        assertThat(last.join().cause()).contains(policy.takeTrouble);
        assertThat(limiter.statistics()).isEqualTo(new RateLimiterStatistics(0, 0, 3, 1));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, -2, Long.MIN_VALUE})
    @DisplayName(
            "a wait of less than nothing is reported to who asks, by the names of policy and limit, and nothing has changed")
    void negativeWait(long wait) {
        policy.wait = wait;
        RateLimiter ofKey = PartitionedRateLimiter.<String>builder(key -> new OfItsOwn(policy))
                .timeSource(time)
                .build()
                .forKey("a");
        for (RateLimiter asked : List.of(limiter, ofKey, RateLimiter.chain(limiter))) {
            List<ThrowingCallable> requests = new ArrayList<>(List.of(asked::tryAcquire, () -> asked.tryAcquire(0)));
            if (asked instanceof Chain) {
                assertThat(asked.acquire().join().cause()).containsInstanceOf(IllegalStateException.class);
            } else {
                requests.addAll(List.of(
                        () -> asked.tryConsume(1),
                        () -> asked.acquire(1),
                        () -> asked.acquire(1, SECOND, answers::add)));
            }
            for (ThrowingCallable request : requests) {
                assertThatIllegalStateException()
                        .isThrownBy(request)
                        .withMessageContainingAll(Policy.class.getName(), "" + asked.limit(), "" + wait);
            }
            assertThat(asked.statistics().queuedPermits()).isZero();
        }
        assertThat(answers).isEmpty();
        assertThat(limiter.statistics()).isEqualTo(new RateLimiterStatistics(0, 0, 0, 0));
        policy.open = true;
        assertThat(limiter.tryAcquire().isAcquired()).isTrue();
        assertThat(ofKey.tryAcquire().isAcquired()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, -2, Long.MIN_VALUE})
    @DisplayName("a waiting request is refused if the policy returns a negative wait, and blocks no other")
    void negativeWaitWhenServed(long wait) {
        List<CompletableFuture<Lease>> waiting = List.of(limiter.acquire(), limiter.acquire(0), limiter.acquire(2));
        policy.wait = wait;
        time.advanceBy(SECOND);
        assertThat(waiting).allSatisfy(request -> {
            assertThat(request).isCompletedWithValueMatching(lease -> !lease.isAcquired());
            assertThat(request.join().reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
            assertThat(request.join().cause()).containsInstanceOf(IllegalStateException.class);
        });
        assertThat(limiter.statistics().queuedPermits()).isZero();
        policy.open = true;
        assertThat(limiter.acquire()).isCompletedWithValueMatching(Lease::isAcquired);
    }

    /** A limit that has that policy, whoever asks. */
    private record OfItsOwn(Policy policy) implements Limit {

        @Override
        public int capacity() {
            return 5;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return policy;
        }
    }
}
