package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A caller whose thread is held up as it reads the clock, until a permit is back for which others began to wait meanwhile. */
class HeldUpOnTheWayTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime stepped = new SteppedTime(0);
    private long lateNanos;
    private Runnable meanwhile = () -> {};

    /** Lets something happen at its first reading. No alarm has gone off in the time that has passed then. */
    private final TimeSource time = new DelegatingTime(stepped) {
        @Override
        public long nanoTime() {
            Runnable once = meanwhile;
            meanwhile = () -> {};
            once.run();
            return super.nanoTime() + lateNanos;
        }
    };

    private final RateLimiter limiter =
            RateLimiter.builder(Limit.of(1, SECOND)).timeSource(time).build();

    private static Stream<Named<Predicate<RateLimiter>>> ways() {
        return Stream.of(
                Named.of("tryAcquire", limiter -> limiter.tryAcquire().isAcquired()),
                Named.of("tryConsume", limiter -> limiter.tryConsume(1)),
                Named.of(
                        "acquire without a wait",
                        limiter ->
                                limiter.acquireWithin(1, Duration.ZERO).join().isAcquired()));
    }

    @ParameterizedTest
    @MethodSource("ways")
    @DisplayName("does not overtake a request that waits by then")
    void doesNotOvertake(Predicate<RateLimiter> isGranted) {
        limiter.tryAcquire();
        CompletableFuture<Lease> waiting = new CompletableFuture<>();
        meanwhile = () -> {
            limiter.acquire(1, waiting::complete);
            lateNanos = SECOND.toNanos();
        };
        assertThat(isGranted.test(limiter)).isFalse();
        stepped.advanceBy(SECOND);
        assertThat(waiting).isCompletedWithValueMatching(Lease::isAcquired);
    }

    @ParameterizedTest
    @MethodSource("ways")
    @DisplayName("is refused during a pause that has begun by then")
    void isRefusedDuringAPause(Predicate<RateLimiter> isGranted) {
        limiter.tryAcquire();
        meanwhile = () -> {
            limiter.pauseFor(SECOND.multipliedBy(10));
            lateNanos = SECOND.toNanos();
        };
        assertThat(isGranted.test(limiter)).isFalse();
    }
}
