package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A caller whose stack overflows inside a limit, as in a naive asynchronous recursion, must not leave the limit to others in a state
 * that only it could end. Any call on the way may be the one too many, so callers begin at every depth near the end of the stack.
 */
class StackOverflowTest {

    private static final Duration HOUR = Duration.ofHours(1);

    /** How small a stack is, in bytes: so each caller soon gets to its end. */
    private static final long STACK = 256 * 1024;

    /** So many callers in a row must not overflow: those further from the end do not, either. */
    private static final int SAFE = 20;

    private static final long HANGS_SECONDS = 20;

    /** What a caller does with a limiter whose first permits it has taken. */
    private record Case(String name, Limit limit, Function<RateLimiter, Runnable> call) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Case> cases() {
        Limit exact = Limit.of(100, HOUR);
        Limit buckets = Limit.allOf(Limit.tokenBucket(50, 1, HOUR), Limit.tokenBucket(60, 1, HOUR));
        return Stream.of(
                new Case("an exact window: to take several", Limit.of(8, HOUR), StackOverflowTest::takeSeveral),
                new Case("an exact window: to take one, for which it has to grow", exact, StackOverflowTest::grow),
                new Case("an exact window: to give back", exact, limiter -> limiter.tryAcquire(2)::giveBack),
                new Case("an exact window: to settle", exact, StackOverflowTest::settle),
                new Case("an exact window: to charge", exact, limiter -> () -> limiter.charge(1)),
                new Case("an exact window: to change", exact, limiter -> () -> limiter.reconfigure(exact)),
                new Case("several limits: to take", buckets, limiter -> limiter::tryAcquire),
                new Case("several limits: to change", buckets, limiter -> () -> limiter.reconfigure(buckets)),
                new Case("a bucket: to settle", Limit.tokenBucket(50, 1, HOUR), StackOverflowTest::settle),
                new Case("a fixed window: to settle", Limit.fixedWindow(50, HOUR), StackOverflowTest::settle),
                new Case(
                        "a window in segments: to settle",
                        Limit.slidingWindow(50, HOUR, 10),
                        StackOverflowTest::settle));
    }

    private static Runnable takeSeveral(RateLimiter limiter) {
        limiter.tryAcquire(5);
        return () -> limiter.tryAcquire(3);
    }

    private static Runnable grow(RateLimiter limiter) {
        limiter.tryAcquire(4);
        return limiter::tryAcquire;
    }

    private static Runnable settle(RateLimiter limiter) {
        Lease lease = limiter.tryAcquire(2);
        return () -> lease.settle(1);
    }

    @ParameterizedTest
    @MethodSource("cases")
    @DisplayName("the limit goes on for others")
    void goesOn(Case tested) throws Exception {
        int safe = 0;
        for (int frames = 0; safe < SAFE; frames++) {
            RateLimiter limiter = RateLimiter.of(tested.limit());
            boolean hasOverflowed = overflows(frames, tested.call().apply(limiter));
            assertThat(isUsable(limiter)).as("%s frames from the end", frames).isTrue();
            assertThat(frames > 0 || hasOverflowed).isTrue();
            safe = hasOverflowed ? 0 : safe + 1;
        }
    }

    private static boolean isUsable(RateLimiter limiter) throws Exception {
        CompletableFuture<Boolean> used = new CompletableFuture<>();
        start(0, () -> {
            limiter.reconfigure(limiter.limit());
            while (limiter.tryAcquire().isAcquired()) {}
            used.complete(limiter.availablePermits() <= 0);
        });
        return used.get(HANGS_SECONDS, TimeUnit.SECONDS);
    }

    private static Thread start(long stack, Runnable task) {
        Thread thread = new Thread(null, task, "caller", stack);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Returns whether a call overflows that begins so many frames from the end of a stack. */
    private static boolean overflows(int frames, Runnable call) throws Exception {
        Descent descent = new Descent(frames, call);
        start(STACK, descent::callNearTheEnd).join();
        return descent.hasOverflowed;
    }

    /** Calls itself until the stack ends, comes up again by some frames, and makes a call there. */
    private static final class Descent {

        private final int frames;
        private final Runnable call;
        private boolean hasCalled;
        private boolean hasOverflowed;

        Descent(int frames, Runnable call) {
            this.frames = frames;
            this.call = call;
        }

        /** Returns by how many frames it has come up since the end. */
        @SuppressWarnings("InfiniteRecursion") // as intended
        int callNearTheEnd() {
            int above;
            try {
                above = callNearTheEnd() + 1;
            } catch (StackOverflowError end) {
                above = 0;
            }
            if (above == frames && !hasCalled) {
                hasCalled = true;
                try {
                    call.run();
                } catch (StackOverflowError overflowed) {
                    hasOverflowed = true;
                }
            }
            return above;
        }
    }
}
