package dev.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several limits as one, one of them of somebody else's making: with a will of its own, and a signal. */
class AllOfForeignMembersTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final AtomicReference<Runnable> signal = new AtomicReference<>();
    private final AtomicInteger settled = new AtomicInteger();

    @Test
    @DisplayName("a member that does not keep to what it said costs the others nothing")
    void memberThatBreaksItsWord() {
        PermitPolicy policy = Limit.allOf(Limit.of(3, SECOND), new ForeignLimiter(0, 77), Limit.of(4, SECOND))
                .newPolicy(0);
        assertThat(policy.tryTake(2, 0)).isEqualTo(77);
        assertThat(policy.available(0)).isEqualTo(3);
        assertThat(policy.nanosUntilFull(0)).isZero();
    }

    @Test
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName(
            "a member that breaks as it is asked for permits fails this request only, and keeps no other, nor a change")
    void memberThatBreaks() {
        AtomicInteger asked = new AtomicInteger();
        Limit breaking = ofNine(new AlwaysGranting() {
            @Override
            public long tryTake(int permits, long now) {
                if (asked.getAndIncrement() == 0) {
                    throw new IllegalStateException("on purpose");
                }
                return TAKEN;
            }

            @Override
            public void reconfigure(Limit limit, long now) {}
        });
        PermitPolicy policy = Limit.allOf(Limit.of(3, SECOND), breaking).newPolicy(0);
        assertThatIllegalStateException().isThrownBy(() -> policy.tryTake(1, 0)).withMessage("on purpose");
        assertThat(policy.available(0)).as("what the other has").isEqualTo(3);
        assertThat(policy.tryTake(1, 0)).isEqualTo(PermitPolicy.TAKEN);
        policy.reconfigure(Limit.allOf(Limit.of(4, SECOND), breaking), 0);
        assertThat(policy.capacity()).isEqualTo(4);
    }

    @Test
    @DisplayName("a member that refuses a change leaves those before it as they were")
    void memberThatRefusesAChange() {
        Limit before = Limit.allOf(Limit.of(3, SECOND), Limit.concurrency(5), new ForeignLimiter(0, 0));
        Limit after = Limit.allOf(Limit.of(30, SECOND), Limit.concurrency(50), new ForeignLimiter(1, 0));
        PermitPolicy policy = before.newPolicy(0);
        assertThatIllegalArgumentException().isThrownBy(() -> policy.reconfigure(after, 0));
        assertThat(policy.available(0)).isEqualTo(3);
        policy.reconfigure(Limit.allOf(Limit.of(4, SECOND), Limit.concurrency(6), new ForeignLimiter(0, 0)), 0);
        assertThat(policy.available(0)).isEqualTo(4);
        assertThat(policy.capacity()).isEqualTo(4);
    }

    @Test
    @DisplayName("a member that breaks when it is changed leaves those before it as they were")
    void memberThatBreaksWhenChanged() {
        Limit breaking = ofNine(new AlwaysGranting() {
            @Override
            public void reconfigure(Limit limit, long now) {
                throw new OutOfMemoryError("on purpose");
            }
        });
        PermitPolicy policy = Limit.allOf(Limit.of(3, SECOND), breaking).newPolicy(0);
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> policy.reconfigure(Limit.allOf(Limit.of(2, SECOND), breaking), 0));
        assertThat(policy.available(0)).isEqualTo(3);
    }

    private static Limit ofNine(PermitPolicy policy) {
        return new Limit() {
            @Override
            public int capacity() {
                return 9;
            }

            @Override
            public PermitPolicy newPolicy(long nowNanos) {
                return policy;
            }
        };
    }

    @Test
    @DisplayName("a change of kind is refused before anything is changed, however deep the kind lies")
    void changesOfKind() {
        TokenBucket bucket = Limit.tokenBucket(5, 5, SECOND);
        refuses(bucket, bucket.refillingInSteps());
        refuses(bucket.countingCalls(), bucket.refillingInSteps().countingCalls());
        refuses(bucket.countingCalls(), bucket);
        refuses(
                Limit.of(5, SECOND).countingCalls(),
                Limit.fixedWindow(5, SECOND).countingCalls());
        refuses(Limit.fixedWindow(5, SECOND), Limit.slidingWindowCounter(5, SECOND));
        accepts(bucket, Limit.tokenBucket(6, 6, SECOND));
        accepts(bucket.refillingInSteps(), Limit.tokenBucket(6, 6, SECOND).refillingInSteps());
        accepts(bucket.countingCalls(), Limit.tokenBucket(6, 6, SECOND).countingCalls());
    }

    /** The member before the last has been told of no change: else it would be asked in vain to undo it. */
    private static void refuses(Limit last, Limit changed) {
        PermitPolicy policy = Limit.allOf(new ForeignLimiter(0, 0), last).newPolicy(0);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.reconfigure(Limit.allOf(new ForeignLimiter(1, 0), changed), 0))
                .withMessageContaining("limits[1]");
    }

    private static void accepts(Limit last, Limit changed) {
        PermitPolicy policy = Limit.allOf(last, Limit.of(9, SECOND)).newPolicy(0);
        policy.reconfigure(Limit.allOf(changed, Limit.of(9, SECOND)), 0);
        assertThat(policy.capacity()).isEqualTo(Math.min(9, changed.capacity()));
    }

    @Test
    @DisplayName(
            "a member that refuses what it had said was there costs those before it nothing, and those behind it gain nothing")
    void memberThatDoesNotKeepItsWord() {
        Limit behind = Limit.of(5, SECOND);
        PermitPolicy policy = Limit.allOf(Limit.of(3, SECOND), new ForeignLimiter(0, 7), behind)
                .newPolicy(0);
        policy.charge(1, 0);
        assertThat(policy.tryTake(1, 0)).isEqualTo(7);
        assertThat(policy.available(0)).isEqualTo(2);
        policy.charge(2, 0);
        assertThat(policy.available(0)).isZero();
        PermitPolicy first = Limit.allOf(new ForeignLimiter(0, 7), behind).newPolicy(0);
        first.charge(3, 0);
        assertThat(first.tryTake(1, 0)).isEqualTo(7);
        assertThat(first.available(0)).isEqualTo(2);
    }

    @Test
    @DisplayName("every member gets the signal, and is settled")
    void membersGetTheSignal() {
        PermitPolicy policy = Limit.allOf(Limit.of(3, SECOND), new Signalling()).newPolicy(0);
        AtomicInteger drained = new AtomicInteger();
        policy.signalTo(drained::incrementAndGet);
        signal.get().run();
        assertThat(drained).hasValue(1);
        policy.settle(1, 3, false, 0, 0);
        assertThat(settled).hasValue(2);
    }

    @Test
    @DisplayName("leases count where any member counts them, and only there")
    void leasesCount() {
        assertThat(Limit.allOf(Limit.of(3, SECOND), Limit.of(4, SECOND))
                        .newPolicy(0)
                        .returnsOnRelease())
                .isFalse();
        assertThat(Limit.allOf(Limit.of(3, SECOND), Limit.concurrency(4), Limit.of(4, SECOND))
                        .newPolicy(0)
                        .returnsOnRelease())
                .isTrue();
    }

    /** Says that permits are there, and then answers as it likes; refuses changes to another number. */
    private record ForeignLimiter(int number, long answer) implements Limit {

        @Override
        public int capacity() {
            return Integer.MAX_VALUE;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return new AlwaysGranting() {
                @Override
                public long tryTake(int permits, long now) {
                    return answer;
                }

                @Override
                public void reconfigure(Limit limit, long now) {
                    if (!(limit instanceof ForeignLimiter foreign) || foreign.number != number) {
                        throw new IllegalArgumentException("not " + limit);
                    }
                }
            };
        }
    }

    private final class Signalling implements Limit {

        @Override
        public int capacity() {
            return Integer.MAX_VALUE;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return new AlwaysGranting() {
                @Override
                public void signalTo(Runnable drain) {
                    signal.set(drain);
                }

                @Override
                public void charge(int permits, long now) {
                    settled.addAndGet(permits);
                }
            };
        }
    }
}
