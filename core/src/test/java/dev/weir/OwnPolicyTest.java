package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A limit of somebody else's making whose policy has no more than the methods that it must have, and trusts what it is promised. */
class OwnPolicyTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(-7);

    /** Where such a limit stands. */
    enum Place {
        ALONE {
            @Override
            Limit of(Limit own) {
                return own;
            }
        },
        AMONG_OTHERS {
            @Override
            Limit of(Limit own) {
                return Limit.allOf(Limit.of(1_000, SECOND), own);
            }
        },
        COUNTING_CALLS {
            @Override
            Limit of(Limit own) {
                return own.countingCalls();
            }
        };

        abstract Limit of(Limit own);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a policy is never asked for more than its limit has, whatever is ahead of a request")
    void neverAskedForMore(Place place) {
        RateLimiter limiter = RateLimiter.builder(place.of(new Own(5)))
                .timeSource(time)
                .maxWait(SECOND.multipliedBy(10))
                .queueLimit(100)
                .build();
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            asked.add(limiter.acquire(1));
        }
        for (int seconds = 0; seconds < 4; seconds++) {
            assertThat(asked.stream().filter(CompletableFuture::isDone)).hasSize(Math.min(17, 5 * (seconds + 1)));
            time.advanceBy(SECOND);
        }
        assertThat(asked)
                .allSatisfy(each -> assertThat(each.join().isAcquired()).isTrue());
    }

    @ParameterizedTest
    @EnumSource(names = {"ALONE", "AMONG_OTHERS"})
    @DisplayName("a request for more than a changed policy has is refused, and blocks no other")
    void lessThanBefore(Place place) {
        RateLimiter limiter =
                RateLimiter.builder(place.of(new Own(5))).timeSource(time).build();
        assertThat(limiter.tryAcquire(5).isAcquired()).isTrue();
        CompletableFuture<Lease> tooLarge = limiter.acquire(4);
        CompletableFuture<Lease> behind = limiter.acquire(1);
        limiter.reconfigure(place.of(new Own(2)));
        assertThat(tooLarge.join().reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(tooLarge.join().retryAfter()).isEmpty();
        time.advanceBy(SECOND);
        assertThat(behind.join().isAcquired()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    @DisplayName("a limit without capacity is refused by builders, keys and changes")
    void withoutCapacity(int capacity) {
        Limit none = new Own(capacity);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RateLimiter.of(none))
                .withMessageContaining(none.toString());
        PartitionedRateLimiter<String> keys = PartitionedRateLimiter.of(none);
        assertThatIllegalArgumentException().isThrownBy(() -> keys.tryAcquire("key", 1));
        RateLimiter limiter = RateLimiter.builder(new Own(5)).timeSource(time).build();
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.reconfigure(none));
        assertThatIllegalArgumentException().isThrownBy(none::countingCalls).withMessageContaining("capacity");
        assertThat(limiter.limit()).isEqualTo(new Own(5));
        assertThat(limiter.tryAcquire(5).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a policy that says it will be full only in future has been idle for no time")
    void fullInFuture() {
        Limit ahead = new Limit() {
            @Override
            public int capacity() {
                return 5;
            }

            @Override
            public PermitPolicy newPolicy(long nowNanos) {
                return new Five(5, nowNanos) {
                    @Override
                    public long nanosSinceFull(long readAtNanos) {
                        return -1;
                    }
                };
            }
        };
        RateLimiter limiter = RateLimiter.builder(ahead).timeSource(time).build();
        assertThat(limiter.idleDuration()).contains(Duration.ZERO);
    }

    /** A window that begins anew when it is over; asked for more than it has, it breaks. */
    private record Own(int capacity) implements Limit {

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return new Five(capacity, nowNanos);
        }
    }

    private static class Five implements PermitPolicy {

        private int most;
        private int used;
        private long begin;

        Five(int most, long nowNanos) {
            this.most = most;
            this.begin = nowNanos;
        }

        @Override
        public synchronized long tryTake(int permits, long nowNanos) {
            if (permits > most) {
                throw new IllegalArgumentException("asked for " + permits + " of " + most);
            }
            if (nowNanos - begin >= SECOND.toNanos()) {
                begin = nowNanos;
                used = 0;
            }
            if (used + Math.max(1, permits) > most) {
                return begin + SECOND.toNanos() - nowNanos;
            }
            used += permits;
            return TAKEN;
        }

        @Override
        public synchronized void giveBack(int permits, long takenAtNanos, long nowNanos) {
            used -= takenAtNanos - begin >= 0 ? permits : 0;
        }

        @Override
        public synchronized void charge(int permits, long nowNanos) {
            used += permits;
        }

        @Override
        public synchronized long available(long nowNanos) {
            return (long) most - used;
        }

        @Override
        public synchronized long nanosUntilFull(long nowNanos) {
            return used == 0 ? 0 : Math.max(0, begin + SECOND.toNanos() - nowNanos);
        }

        @Override
        public synchronized void reconfigure(Limit limit, long nowNanos) {
            most = ((Own) limit).capacity();
        }
    }
}
