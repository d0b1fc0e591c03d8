package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A bucket of somebody else's making, which tells a wait by taking permits and giving them back, while a limiter that uses it is paused. */
class OwnPolicyBehindAPauseTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final SteppedTime time = new SteppedTime(Long.MAX_VALUE - 9);
    private final RateLimiter own =
            RateLimiter.builder(new Own()).timeSource(time).build();
    private final List<Lease> answers = new ArrayList<>();

    /** Which limiter is paused. */
    enum Place {
        ALONE,
        IN_A_CHAIN,
        IN_A_CHAIN_OF_CHAINS;

        RateLimiter around(RateLimiter own) {
            return this == ALONE
                    ? own
                    : this == IN_A_CHAIN ? RateLimiter.chain(own) : RateLimiter.chain(IN_A_CHAIN.around(own));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("it is asked at the present, has afterwards what it had, and waits no longer than the pause")
    void keepsWhatItHas(Place place) {
        RateLimiter paused = place.around(own);
        paused.pauseFor(HOUR);
        Lease refused = paused.tryAcquire();
        assertThat(refused.reason()).contains(RefusalReason.PAUSED);
        assertThat(refused.retryAfter()).contains(HOUR);
        paused.acquire(1, HOUR.minusNanos(1), answers::add);
        assertThat(answers).singleElement().matches(lease -> lease.reason().equals(maxWait()));
        paused.acquire(1, HOUR, answers::add);
        time.advanceBy(HOUR.minusNanos(1));
        assertThat(answers).hasSize(1);
        time.advanceBy(1);
        assertThat(answers).hasSize(2).last().matches(Lease::isAcquired);
        assertThat(own.availablePermits()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a wait that is longer than the pause is told in full, and decides whether one that has a bound fits")
    void longerThanThePause(Place place) {
        RateLimiter paused = place.around(own);
        own.charge(10);
        paused.pauseFor(SECOND);
        assertThat(paused.tryAcquire().retryAfter()).contains(Duration.ofMillis(1_200));
        paused.acquire(1, Duration.ofMillis(1_199), answers::add);
        assertThat(answers).singleElement().matches(lease -> lease.reason().equals(maxWait()));
        paused.acquire(1, Duration.ofMillis(1_200), answers::add);
        time.advanceBy(Duration.ofMillis(1_199));
        assertThat(answers).hasSize(1);
        time.advanceBy(Duration.ofMillis(1));
        assertThat(answers).hasSize(2).last().matches(Lease::isAcquired);
    }

    private static Optional<RefusalReason> maxWait() {
        return Optional.of(RefusalReason.MAX_WAIT);
    }

    /** Five a second, one by one, and five at once. */
    private final class Own implements Limit {

        @Override
        public int capacity() {
            return 5;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return new Bucket(nowNanos);
        }
    }

    /** Refilled as it is looked at. Has no more than what has no default; belongs to one thread. */
    private final class Bucket implements PermitPolicy {

        private static final long MOST = 1_000_000_000;
        private static final long EACH = MOST / 5;

        private long saved = MOST;
        private long seen;

        Bucket(long nowNanos) {
            this.seen = nowNanos;
        }

        private void refill(long nowNanos) {
            assertThat(nowNanos - time.nanoTime())
                    .as("how far ahead of the clock")
                    .isNotPositive();
            saved = Math.min(MOST, saved + Math.max(0, nowNanos - seen));
            seen = nowNanos;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            refill(nowNanos);
            long missing = Math.max(1, permits) * EACH - saved;
            if (missing > 0) {
                return missing;
            }
            saved -= permits * EACH;
            return TAKEN;
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {
            refill(nowNanos);
            saved = Math.min(MOST, saved + permits * EACH);
        }

        @Override
        public void charge(int permits, long nowNanos) {
            refill(nowNanos);
            saved -= permits * EACH;
        }

        @Override
        public long available(long nowNanos) {
            refill(nowNanos);
            return Math.floorDiv(saved, EACH);
        }

        @Override
        public long nanosUntilFull(long nowNanos) {
            refill(nowNanos);
            return MOST - saved;
        }
    }
}
