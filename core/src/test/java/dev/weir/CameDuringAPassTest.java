package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request that comes after a thread has read the clock for a pass over the queue, and before that looks at the arrivals. */
class CameDuringAPassTest {

    private final SteppedTime stepped = new SteppedTime(0);
    private Runnable meanwhile = () -> {};

    /** Lets something happen after a reading, before the one who reads goes on. */
    private final TimeSource time = new DelegatingTime(stepped) {
        @Override
        public long nanoTime() {
            long read = super.nanoTime();
            Runnable once = meanwhile;
            meanwhile = () -> {};
            once.run();
            return read;
        }
    };

    private final List<Lease> answers = new ArrayList<>();

    private RateLimiter limiter(int permits, int queueLimit) {
        return RateLimiter.builder(Limit.of(permits, Duration.ofNanos(100)))
                .queueLimit(queueLimit)
                .timeSource(time)
                .build();
    }

    private void goTo(long nanos) {
        stepped.advanceBy(nanos - stepped.nanoTime());
    }

    /** Cancels a request at 10, on a thread that is held up until 60, when another request has come. */
    private void cancelAsAnotherComes(PermitRequest leaving, Runnable asking) {
        goTo(10);
        meanwhile = () -> {
            goTo(60);
            asking.run();
        };
        leaving.cancel();
    }

    private int takeAllAt(RateLimiter limiter, long nanos) {
        goTo(nanos);
        int taken = 0;
        while (limiter.tryConsume(1)) {
            taken++;
        }
        return taken;
    }

    @Test
    @DisplayName("is granted as of when it came, so its permit is not back before a period from then")
    void granted() {
        RateLimiter limiter = limiter(3, 100);
        limiter.tryConsume(1);
        PermitRequest leaving = limiter.acquire(3, ignored -> {});
        limiter.acquire(1, answers::add);
        cancelAsAnotherComes(leaving, () -> limiter.acquire(1, answers::add));
        assertThat(answers).hasSize(2).allMatch(Lease::isAcquired);

        assertThat(takeAllAt(limiter, 99)).isZero();
        assertThat(takeAllAt(limiter, 100)).as("that of 0").isEqualTo(1);
        assertThat(takeAllAt(limiter, 109)).isZero();
        assertThat(takeAllAt(limiter, 110)).as("that of 10").isEqualTo(1);
        assertThat(takeAllAt(limiter, 159)).isZero();
        assertThat(takeAllAt(limiter, 160)).as("that of 60").isEqualTo(1);
    }

    @Test
    @DisplayName("has to wait until the limit lets it go, and no longer")
    void waits() {
        RateLimiter limiter = limiter(2, 100);
        limiter.tryConsume(1);
        PermitRequest leaving = limiter.acquire(2, ignored -> {});
        cancelAsAnotherComes(leaving, () -> limiter.acquire(2, Duration.ofNanos(40), answers::add));
        goTo(99);
        assertThat(answers).isEmpty();
        goTo(100);
        assertThat(answers).hasSize(1).allMatch(Lease::isAcquired);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @DisplayName(
            "neither overlooks a pause nor ends it if it only seems to come later, as the clock has stepped back since")
    void clockStepsBack(int permits) {
        stepped.advanceBy(1_000);
        RateLimiter room = RateLimiter.builder(Limit.concurrency(3))
                .queueLimit(permits)
                .timeSource(time)
                .build();
        Lease held = room.tryAcquire(3);
        room.acquire(permits, answers::add);
        stepped.advanceBy(-1_000);
        room.pauseFor(Duration.ofNanos(100));
        held.close();
        assertThat(answers).isEmpty();
        assertThat(room.tryAcquire().isAcquired()).isFalse();
        goTo(100);
        assertThat(answers).hasSize(1).allMatch(Lease::isAcquired);
    }

    @Test
    @DisplayName("that is refused is told how long it would have to wait from when it came")
    void refused() {
        RateLimiter limiter = limiter(2, 2);
        limiter.tryConsume(2);
        limiter.acquire(1, ignored -> {});
        PermitRequest leaving = limiter.acquire(1, ignored -> {});
        cancelAsAnotherComes(leaving, () -> limiter.acquire(2, answers::add));
        assertThat(answers).hasSize(1);
        assertThat(answers.get(0).reason()).contains(RefusalReason.QUEUE_FULL);
        assertThat(answers.get(0).retryAfter()).contains(Duration.ofNanos(40));
    }
}
