package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A future with a maximum wait loses no permit, and is answered where it is asked for, whatever limiter is behind it. */
class BoundedFutureTest {

    private static final Duration BOUND = Duration.ofSeconds(2);

    private final SteppedTime time = new SteppedTime(-7);

    /** Limiters of every make, for which permits come back only when leases are closed. */
    private enum Make {
        ENGINE,
        KEY,
        CHAIN,
        FOREIGN
    }

    private RateLimiter limiter(Make make, int permits) {
        RateLimiter engine =
                RateLimiter.builder(Limit.concurrency(permits)).timeSource(time).build();
        return switch (make) {
            case ENGINE -> engine;
            case KEY ->
                PartitionedRateLimiter.<String>builder(key -> Limit.concurrency(permits))
                        .timeSource(time)
                        .build()
                        .forKey("ada");
            case CHAIN -> RateLimiter.chain(engine);
            case FOREIGN -> new ForeignLimiter(engine);
        };
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a future that is cancelled while it waits takes no permit later, and leaves no timer")
    void cancelledBefore(Make make) {
        RateLimiter limiter = limiter(make, 1);
        Lease held = limiter.tryAcquire();
        CompletableFuture<Lease> future = limiter.acquireWithin(1, BOUND);
        assertThat(future).isNotDone();
        assertThat(future.cancel(false)).isTrue();
        assertThat(limiter.statistics().queuedPermits()).isZero();
        held.close();
        assertThat(limiter.availablePermits()).isEqualTo(1);
        assertThat(time.pendingTasks()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a future that is cancelled after it was granted keeps its lease, which returns the permit")
    void cancelledAfter(Make make) {
        RateLimiter limiter = limiter(make, 1);
        Lease held = limiter.tryAcquire();
        CompletableFuture<Lease> future = limiter.acquireWithin(1, BOUND);
        held.close();
        assertThat(future.cancel(false)).isFalse();
        assertThat(limiter.availablePermits()).isZero();
        future.join().close();
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FOREIGN") // its bound is measured by the system clock
    @DisplayName("a future whose time is up is completed normally, with a refusal, and then takes no permit")
    void timeIsUp(Make make) {
        RateLimiter limiter = limiter(make, 1);
        Lease held = limiter.tryAcquire();
        CompletableFuture<Lease> future = limiter.acquireWithin(1, BOUND);
        time.advanceBy(BOUND.minusNanos(1));
        assertThat(future).isNotDone();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(future.getNow(held).reason()).contains(RefusalReason.MAX_WAIT);
        held.close();
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a future with a bound of zero is answered before it is returned, also inside a listener")
    void insideAListener(Make make) {
        RateLimiter limiter = limiter(make, 2);
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        limiter.acquire(1, lease -> {
            for (int i = 0; i < 2; i++) {
                CompletableFuture<Lease> future = limiter.acquireWithin(1, Duration.ZERO);
                assertThat(future).as("answered inside the listener").isDone();
                asked.add(future);
            }
        });
        assertThat(asked)
                .extracting(CompletableFuture::join)
                .extracting(Lease::isAcquired)
                .containsExactly(true, false);
        assertThat(asked.get(1).join().reason()).contains(RefusalReason.EXHAUSTED);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("illegal numbers and a missing bound are named, and nothing is taken")
    void misuse(Make make) {
        RateLimiter limiter = limiter(make, 2);
        assertThatNullPointerException()
                .isThrownBy(() -> limiter.acquireWithin(1, null))
                .withMessage("maxWait");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.acquireWithin(1, Duration.ofSeconds(-3)))
                .withMessageContaining("PT-3S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.acquireWithin(3, BOUND))
                .withMessageContaining("3");
        assertThat(limiter.availablePermits()).isEqualTo(2);
    }
}
