package dev.weir.rxjava;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operators behind the limit that end a wait for permits. */
class BoundedByOperatorsTest {

    private static final StreamOptions HERE = StreamOptions.defaults().emitOn(Runnable::run);

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final AtomicInteger calls = new AtomicInteger();

    private Single<Integer> call(RateLimiter limiter) {
        return Single.fromCallable(calls::incrementAndGet).compose(RateLimit.with(limiter, HERE));
    }

    private RateLimiter exhausted(int permits) {
        RateLimiter limiter = RateLimiter.builder(Limit.of(permits, ofSeconds(1)))
                .timeSource(time)
                .build();
        limiter.tryAcquire(permits);
        return limiter;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("amb: the loser is never called, whether it still waits or has just been granted its permit")
    void amb(int permits) {
        RateLimiter limiter = exhausted(permits);
        TestObserver<Integer> first =
                Single.amb(List.of(call(limiter), call(limiter))).test();
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(2);

        time.advanceBy(ofSeconds(1));

        first.assertResult(1);
        assertThat(calls).hasValue(1);
        assertThat(limiter.statistics().queuedPermits()).isZero();
        assertThat(limiter.availablePermits()).isEqualTo(permits - 1);
    }

    @Test
    @DisplayName("take of a time: a stream and a call that wait end in time, and leave nothing at the limiter")
    void take() {
        RateLimiter limiter = exhausted(1);
        TestSubscriber<Integer> stream = Flowable.range(1, 3)
                .compose(RateLimit.with(limiter, HERE))
                .take(500, TimeUnit.MILLISECONDS)
                .test();
        TestObserver<Integer> called = Observable.fromCallable(calls::incrementAndGet)
                .compose(RateLimit.perSubscription(limiter, HERE))
                .take(500, TimeUnit.MILLISECONDS)
                .test();
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(2);

        plugins.scheduler().advanceTimeBy(500, TimeUnit.MILLISECONDS);

        stream.assertResult();
        called.assertResult();
        assertThat(limiter.statistics().queuedPermits()).isZero();
        time.advanceBy(ofSeconds(1));
        assertThat(calls).hasValue(0);
        assertThat(limiter.availablePermits()).isOne();
    }
}
