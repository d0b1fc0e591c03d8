package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.subjects.SingleSubject;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Grant, dispose and the end of a call at the same time. */
class CallRaceTest {

    private static final int ROUNDS = 1000;

    @RegisterExtension
    final Plugins plugins = Plugins.withRealTime();

    @Test
    @DisplayName(
            "dispose meets the grant: the source is subscribed and the permit spent, or neither; no worker is left behind")
    void disposeMeetsGrant() {
        CountedWorkers workers = new CountedWorkers(Schedulers.single());
        RxJavaPlugins.setComputationSchedulerHandler(usual -> workers);
        try (Race race = new Race()) {
            for (int round = 0; round < ROUNDS; round++) {
                VirtualTimeSource time = new VirtualTimeSource();
                RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofSeconds(1)))
                        .timeSource(time)
                        .build();
                limiter.tryAcquire();
                AtomicInteger calls = new AtomicInteger();
                StreamOptions options = StreamOptions.defaults();
                TestObserver<Integer> observer = Single.defer(() -> Single.just(calls.incrementAndGet()))
                        .compose(RateLimit.with(limiter, round % 2 == 0 ? options : options.emitOn(Runnable::run)))
                        .test();
                race.run(observer::dispose, () -> time.advanceBy(Duration.ofSeconds(1)));
                await().pollInterval(Duration.ofMillis(1)).until(() -> limiter.availablePermits() == 1 - calls.get());
                assertThat(limiter.statistics().queuedPermits()).isZero();
            }
        }
        assertThat(workers.made).hasPositiveValue();
        await().untilAsserted(() -> assertThat(workers.disposed).hasValue(workers.made.get()));
    }

    @Test
    @DisplayName("dispose meets the end: the lease is closed once")
    void disposeMeetsEnd() {
        try (Race race = new Race()) {
            for (int round = 0; round < ROUNDS; round++) {
                RateLimiter limiter = RateLimiter.of(Limit.concurrency(2));
                Lease other = limiter.tryAcquire();
                SingleSubject<Integer> source = SingleSubject.create();
                TestObserver<Integer> observer =
                        source.compose(RateLimit.with(limiter)).test();
                assertThat(limiter.availablePermits()).isZero();
                race.run(observer::dispose, () -> source.onSuccess(1), observer::dispose);
                assertThat(limiter.availablePermits()).isEqualTo(1);
                other.close();
                assertThat(limiter.availablePermits()).isEqualTo(2);
            }
        }
    }

    @Test
    @DisplayName("demand meets the grant: all of it reaches the source, once")
    void demandMeetsGrant() {
        try (Race race = new Race()) {
            for (int round = 0; round < ROUNDS; round++) {
                VirtualTimeSource time = new VirtualTimeSource();
                RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofSeconds(1)))
                        .timeSource(time)
                        .build();
                limiter.tryAcquire();
                TestSubscriber<Integer> subscriber = Flowable.range(0, 100)
                        .compose(RateLimit.perSubscription(
                                limiter, StreamOptions.defaults().emitOn(Runnable::run)))
                        .test(0);
                race.run(
                        () -> subscriber.request(3),
                        () -> time.advanceBy(Duration.ofSeconds(1)),
                        () -> subscriber.request(4));
                subscriber.assertValueCount(7);
            }
        }
    }
}
