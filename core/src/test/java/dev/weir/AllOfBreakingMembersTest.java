package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Several limits as one, a part of which is of somebody else's making and breaks, or refuses a change. */
class AllOfBreakingMembersTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final SteppedTime time = new SteppedTime(-5);
    private final List<Lease> answers = new ArrayList<>();
    private final Breaking breaking = new Breaking();

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).timeSource(time).build();
    }

    /** Always has permits, and does what a test says before it grants them, takes them back, or refuses to be changed. */
    private static final class Breaking extends StatelessPolicy implements Limit {

        Runnable onTake = () -> {};
        Runnable onReturn = () -> {};
        Runnable onChange = () -> {};
        boolean hasPermits = true;
        boolean isFixed = true;
        private Limit changedTo;

        @Override
        public int capacity() {
            return 1_000;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return this;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            if (!hasPermits) {
                return AWAIT_SIGNAL;
            }
            onTake.run();
            return TAKEN;
        }

        @Override
        public long nanosUntil(long ahead, int permits, long nowNanos) {
            return hasPermits ? 0 : AWAIT_SIGNAL;
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {
            onReturn.run();
        }

        @Override
        public void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
            onReturn.run();
        }

        @Override
        public void release(int permits, long nowNanos) {
            onReturn.run();
        }

        @Override
        public long available(long nowNanos) {
            return 1_000;
        }

        @Override
        public void reconfigure(Limit limit, long nowNanos) {
            onChange.run();
            if (isFixed) {
                throw new IllegalArgumentException("refused");
            }
            changedTo = limit;
        }
    }

    private static void fail() {
        throw new IllegalStateException("on purpose");
    }

    static Stream<Limit> ofOne() {
        return Stream.of(Limit.concurrency(1), Limit.of(1, HOUR), Limit.tokenBucket(1, 1, HOUR));
    }

    @ParameterizedTest
    @MethodSource("ofOne")
    @DisplayName("a request is not held up by what another had for a moment as a part broke")
    void askedAsOneBreaks(Limit one) {
        RateLimiter limiter = limiter(Limit.allOf(one, breaking));
        breaking.onTake = () -> {
            breaking.onTake = () -> {};
            limiter.acquire(1, answers::add);
            assertThat(answers).isEmpty();
            fail();
        };
        assertThatIllegalStateException().isThrownBy(limiter::tryAcquire).withMessage("on purpose");
        assertThat(answers).hasSize(1).allMatch(Lease::isAcquired);
    }

    static Stream<Named<Consumer<Lease>>> waysBack() {
        return Stream.of(
                Named.of("close", Lease::close),
                Named.of("giveBack", Lease::giveBack),
                Named.of("settle for none", lease -> lease.settle(0)),
                Named.of("settle for none, and close", lease -> {
                    try {
                        lease.settle(0);
                    } finally {
                        lease.close();
                    }
                }));
    }

    @ParameterizedTest
    @MethodSource("waysBack")
    @DisplayName("what comes back comes back to the other parts, too, if one breaks")
    void backToTheOthers(Consumer<Lease> way) {
        RateLimiter limiter = limiter(Limit.allOf(breaking, Limit.concurrency(3)));
        Lease held = limiter.tryAcquire(2);
        limiter.acquire(3, answers::add);
        breaking.onReturn = AllOfBreakingMembersTest::fail;
        assertThatIllegalStateException().isThrownBy(() -> way.accept(held)).withMessage("on purpose");
        assertThat(answers).hasSize(1).allMatch(Lease::isAcquired);
    }

    /** A limit, and what it cannot be changed to. */
    static Stream<Arguments> changes() {
        Limit two = Limit.allOf(Limit.of(500, HOUR), Limit.of(600, HOUR)).countingCalls();
        Limit one = Limit.allOf(Limit.of(500, HOUR)).countingCalls();
        return Stream.of(
                        List.of(Limit.of(10, HOUR), Limit.of(2, MINUTE)),
                        List.of(Limit.of(100, HOUR), Limit.of(2, MINUTE)),
                        List.of(Limit.fixedWindow(10, HOUR), Limit.fixedWindow(2, MINUTE)),
                        List.of(Limit.slidingWindowCounter(10, HOUR), Limit.slidingWindowCounter(2, MINUTE)),
                        List.of(Limit.slidingWindow(10, HOUR, 6), Limit.slidingWindow(2, MINUTE, 6)),
                        List.of(Limit.tokenBucket(10, 10, HOUR), Limit.tokenBucket(2, 2, MINUTE)))
                .flatMap(pair -> Stream.of(
                        Arguments.of(Limit.allOf(pair.get(0), two), Limit.allOf(pair.get(1), one)),
                        Arguments.of(
                                Limit.allOf(pair.get(0), new Breaking()), Limit.allOf(pair.get(1), new Breaking()))));
    }

    @ParameterizedTest
    @MethodSource("changes")
    @DisplayName("a change that is refused has changed nothing: permits come back as if it had not been asked for")
    void refusedChange(Limit before, Limit after) {
        RateLimiter changed = limiter(before);
        RateLimiter untouched = limiter(before);
        for (int i = 0; i < 5; i++) {
            assertThat(changed.tryAcquire().isAcquired()).isTrue();
            assertThat(untouched.tryAcquire().isAcquired()).isTrue();
            time.advanceBy(Duration.ofMinutes(4));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> changed.reconfigure(after));
        assertThat(changed.limit()).isEqualTo(before);
        for (int i = 0; i < 70; i++) {
            assertThat(changed.availablePermits()).as("after %d min", i).isEqualTo(untouched.availablePermits());
            time.advanceBy(MINUTE);
        }
    }

    @Test
    @DisplayName("if one cannot be restored after a change that is refused, the others are, and the refusal is told")
    void oneIsNotRestored() {
        Breaking broken = new Breaking();
        Breaking restored = new Breaking();
        RateLimiter limiter = limiter(Limit.allOf(broken, restored, breaking));
        broken.isFixed = false;
        broken.onChange = () -> broken.onChange = AllOfBreakingMembersTest::fail;
        restored.isFixed = false;
        Limit other = Limit.allOf(new Breaking(), new Breaking(), new Breaking());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiter.reconfigure(other))
                .withMessage("refused")
                .satisfies(refused ->
                        assertThat(refused.getSuppressed()).hasExactlyElementsOfTypes(IllegalStateException.class));
        assertThat(restored.changedTo).isSameAs(restored);
    }

    @Test
    @DisplayName("a request is not held up by what a change that is refused had for a moment taken away")
    void askedDuringARefusedChange() {
        RateLimiter limiter = limiter(breaking);
        breaking.onChange = () -> {
            breaking.hasPermits = false;
            limiter.acquire(1, answers::add);
            breaking.hasPermits = true;
            assertThat(answers).isEmpty();
        };
        assertThatIllegalArgumentException().isThrownBy(() -> limiter.reconfigure(new Breaking()));
        assertThat(answers).hasSize(1).allMatch(Lease::isAcquired);
    }
}
