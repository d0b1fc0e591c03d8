package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A request that is decided alone in the very moment in which the answer arrives that ends the outage, in virtual time. */
class OutageEndRaceTest implements TimeSource {

    private static final Limit LIMIT = Limit.of(10, Duration.ofHours(1));

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final ModelStore model = new ModelStore(LIMIT, time);
    private final ManualStore store = new ManualStore(model);
    private final List<DecisionSource> alone = new ArrayList<>();
    private int readingsUntil;
    private Runnable meanwhile = () -> {};

    /** Happens when a task is no longer needed: the trip whose deadline it is has ended. */
    private Runnable whenCancelled = () -> {};

    /** Lets something happen between one of the next readings of the clock and what is done with it. */
    private void afterReading(int number, Runnable what) {
        readingsUntil = number;
        meanwhile = what;
    }

    @Override
    public long nanoTime() {
        long read = time.nanoTime();
        if (--readingsUntil == 0) {
            meanwhile.run();
        }
        return read;
    }

    @Override
    public Cancellable schedule(Runnable task, long delayNanos) {
        Cancellable scheduled = time.schedule(task, delayNanos);
        return () -> {
            scheduled.cancel();
            Runnable once = whenCancelled;
            whenCancelled = () -> {};
            once.run();
        };
    }

    /** Of which a request has been granted alone, and probes the store. */
    private RateLimiter probing(WhenUnavailable choice) {
        RateLimiter limiter = ModelFleet.builder(LIMIT, store, ModelFleet.settings(choice, 1))
                .timeSource(this)
                .build();
        Lease first = limiter.tryAcquire();
        assertThat(first.isAcquired()).isFalse();
        store.fail();
        time.advanceBy(Duration.ofSeconds(1));
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        assertThat(store.underWay()).as("probes the store").isEqualTo(1);
        return limiter;
    }

    private void answerAll() {
        store.answerAll();
        time.advanceBy(Duration.ofMillis(2));
        store.answerAll();
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "ALLOW"})
    @DisplayName("the answer comes while the request is being decided: the store is told of it all the same")
    void beforeItIsDecided(WhenUnavailable choice) {
        RateLimiter limiter = probing(choice);
        afterReading(1, () -> {
            time.advanceBy(Duration.ofMillis(1));
            answerAll();
        });
        assertThat(limiter.tryAcquire().source()).isEqualTo(DecisionSource.FALLBACK);
        answerAll();
        assertThat(model.policy().available(time.nanoTime())).isEqualTo(8);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "ALLOW"})
    @DisplayName(
            "the request is decided when the probe has ended, and the outage not yet: the store is told of it, too")
    void beforeItIsBack(WhenUnavailable choice) {
        RateLimiter limiter = probing(choice);
        whenCancelled = () -> alone.add(limiter.tryAcquire().source());
        answerAll();
        answerAll();
        assertThat(alone).containsExactly(DecisionSource.FALLBACK);
        assertThat(model.policy().available(time.nanoTime())).isEqualTo(8);
    }

    @Test
    @DisplayName(
            "a request that is refused as the store does not answer is told so, though the answer has come meanwhile")
    void refused() {
        RateLimiter limiter = probing(WhenUnavailable.REFUSE);
        afterReading(1, () -> {
            time.advanceBy(Duration.ofMillis(1));
            answerAll();
        });
        Lease refused = limiter.tryAcquire();
        assertThat(refused.source()).isEqualTo(DecisionSource.FALLBACK);
        assertThat(refused.reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL", "ALLOW"})
    @DisplayName("a charge is told of, too, if the answer comes while it is being made")
    void charged(WhenUnavailable choice) {
        RateLimiter limiter = probing(choice);
        afterReading(1, () -> {
            time.advanceBy(Duration.ofMillis(1));
            answerAll();
        });
        limiter.charge(3);
        answerAll();
        assertThat(model.policy().available(time.nanoTime())).isEqualTo(6);
    }
}
