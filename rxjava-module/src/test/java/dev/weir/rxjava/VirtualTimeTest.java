package dev.weir.rxjava;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.BackpressureStrategy;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class VirtualTimeTest {

    private static final List<Long> FIVE_A_SECOND =
            IntStream.range(0, 20).mapToObj(item -> item / 5 * 1000L).toList();

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private long millis() {
        return plugins.scheduler().now(MILLISECONDS);
    }

    private RateLimiter limiter(int permits) {
        return RateLimiter.builder(Limit.of(permits, ofSeconds(1)))
                .timeSource(RxTime.of(plugins.scheduler()))
                .build();
    }

    @Test
    @DisplayName("the table: 20 items at 5 a second, on a flowable")
    void tableOnFlowable() {
        TestSubscriber<Long> times = Flowable.range(0, 20)
                .compose(RateLimit.of(5, ofSeconds(1)))
                .map(item -> millis())
                .test();
        plugins.scheduler().advanceTimeBy(10, SECONDS);
        assertThat(times.values()).isEqualTo(FIVE_A_SECOND);
        times.assertComplete();
    }

    @Test
    @DisplayName("the table on a flowable that is not fused, with read-ahead, and asked for one at a time")
    void tableOnFlowableOtherwise() {
        assertTable(Flowable.range(0, 20).hide().compose(RateLimit.of(5, ofSeconds(1))));
        assertTable(Flowable.range(0, 20)
                .compose(RateLimit.of(
                        Limit.of(5, ofSeconds(1)), StreamOptions.defaults().prefetch(7))));
        assertTable(Flowable.range(0, 20)
                .compose(RateLimit.of(
                        Limit.of(5, ofSeconds(1)), StreamOptions.defaults().buffer(20))));
        assertTable(Flowable.range(0, 20).compose(RateLimit.of(5, ofSeconds(1))).rebatchRequests(1));
        assertTable(Flowable.range(0, 20).compose(RateLimit.with(limiter(5))));
        assertTable(Flowable.range(0, 20).compose(RateLimit.weighted(limiter(10), item -> 2)));
    }

    @Test
    @DisplayName("the table on an observable")
    void tableOnObservable() {
        assertTable(
                Observable.range(0, 20).compose(RateLimit.of(5, ofSeconds(1))).toFlowable(BackpressureStrategy.ERROR));
        assertTable(Observable.range(0, 20).compose(RateLimit.with(limiter(5))).toFlowable(BackpressureStrategy.ERROR));
    }

    private void assertTable(Flowable<Integer> limited) {
        long start = millis();
        TestSubscriber<Long> times = limited.map(item -> millis() - start).test();
        plugins.scheduler().advanceTimeBy(10, SECONDS);
        times.assertComplete();
        assertThat(times.values()).isEqualTo(FIVE_A_SECOND);
    }

    @Test
    @DisplayName("calls go by permit, one limiter for each application: subscribers, repeat and retry share it")
    void callsShareOneLimiterForEachApplication() {
        Single<Long> single = Single.fromCallable(this::millis).compose(RateLimit.of(1, ofSeconds(1)));
        TestSubscriber<Long> several = single.repeat(3).test();
        TestSubscriber<Long> other = single.toFlowable().test();
        Maybe<Long> maybe = Maybe.fromCallable(this::millis).compose(RateLimit.of(1, ofSeconds(1)));
        TestSubscriber<Long> maybes = maybe.repeat(3).test();
        Completable completable = Completable.fromAction(() -> {}).compose(RateLimit.of(1, ofSeconds(1)));
        TestSubscriber<Long> completables = completable
                .andThen(Flowable.fromCallable(this::millis))
                .repeat(3)
                .test();
        plugins.scheduler().advanceTimeBy(10, SECONDS);
        several.assertResult(0L, 1000L, 3000L);
        other.assertResult(2000L);
        maybes.assertResult(0L, 1000L, 2000L);
        completables.assertResult(0L, 1000L, 2000L);
    }

    @Test
    @DisplayName("each subscription of a flowable has its own limiter; a shared one is shared")
    void whoseLimiter() {
        Flowable<Long> own =
                Flowable.range(0, 2).compose(RateLimit.of(1, ofSeconds(1))).map(item -> millis());
        TestSubscriber<Long> first = own.test();
        TestSubscriber<Long> second = own.test();
        Flowable<Long> shared =
                Flowable.range(0, 2).compose(RateLimit.with(limiter(1))).map(item -> millis());
        TestSubscriber<Long> third = shared.test();
        TestSubscriber<Long> fourth = shared.test();
        plugins.scheduler().advanceTimeBy(10, SECONDS);
        first.assertResult(0L, 1000L);
        second.assertResult(0L, 1000L);
        third.assertResult(0L, 1000L);
        fourth.assertResult(2000L, 3000L);
    }

    @Test
    @DisplayName("the default scheduler is looked up at subscription, not at assembly")
    void schedulerIsLookedUpAtSubscription() {
        RxJavaPlugins.setComputationSchedulerHandler(null);
        Flowable<Integer> assembled = Flowable.range(0, 2).compose(RateLimit.of(1, ofSeconds(1)));
        Single<Integer> call = Single.just(1).compose(RateLimit.of(1, ofSeconds(1)));
        RxJavaPlugins.setComputationSchedulerHandler(usual -> plugins.scheduler());
        TestSubscriber<Integer> subscriber = assembled.test();
        TestSubscriber<Integer> calls = call.repeat(2).test();
        subscriber.assertValues(0);
        plugins.scheduler().advanceTimeBy(1, SECONDS);
        subscriber.assertResult(0, 1);
        calls.assertResult(1, 1);
    }

    @Test
    @DisplayName("calls that are assembled once go by the scheduler of each test, by a fresh limiter there")
    void callsFollowTheScheduler() {
        Single<Integer> call = Single.just(1).compose(RateLimit.of(2, ofSeconds(1)));
        for (int test = 0; test < 3; test++) {
            TestScheduler scheduler = new TestScheduler();
            RxJavaPlugins.setComputationSchedulerHandler(usual -> scheduler);
            TestSubscriber<Integer> calls = call.repeat(3).test();
            calls.assertValues(1, 1);
            scheduler.advanceTimeBy(999, MILLISECONDS);
            calls.assertValues(1, 1);
            scheduler.advanceTimeBy(1, MILLISECONDS);
            calls.assertResult(1, 1, 1);
        }
    }

    @Test
    @DisplayName("a plugin that wraps the scheduler anew each time changes nothing: calls share one limiter")
    void pluginThatWrapsAnew() {
        RxJavaPlugins.setComputationSchedulerHandler(usual -> new Scheduler() {
            @Override
            public Worker createWorker() {
                return plugins.scheduler().createWorker();
            }

            @Override
            public long now(TimeUnit unit) {
                return plugins.scheduler().now(unit);
            }
        });
        Single<Long> call = Single.fromCallable(this::millis).compose(RateLimit.of(1, ofSeconds(1)));
        TestSubscriber<Long> calls = call.repeat(3).test();
        plugins.scheduler().advanceTimeBy(10, SECONDS);
        calls.assertResult(0L, 1000L, 2000L);
    }

    @Test
    @DisplayName(
            "a plugin that stays, and gives each test its own scheduler: calls follow it there, and back to real time")
    void pluginThatSwitchesToTests() {
        AtomicReference<TestScheduler> ofTest = new AtomicReference<>();
        RxJavaPlugins.setComputationSchedulerHandler(usual -> ofTest.get() == null ? usual : ofTest.get());
        Single<Integer> call = Single.just(1).compose(RateLimit.of(1, ofSeconds(1)));
        call.test().assertResult(1);
        for (int test = 0; test < 3; test++) {
            TestScheduler scheduler = new TestScheduler();
            ofTest.set(scheduler);
            TestSubscriber<Integer> calls = call.repeat(2).test();
            calls.assertValues(1);
            scheduler.advanceTimeBy(1, SECONDS);
            calls.assertResult(1, 1);
        }
        ofTest.set(null);
        call.test().assertResult(1);
    }

    @Test
    @DisplayName("never a nanosecond early, and exactly then")
    void exactToTheNanosecond() {
        TestSubscriber<Integer> subscriber =
                Flowable.range(0, 2).compose(RateLimit.of(1, ofSeconds(1))).test();
        plugins.scheduler().advanceTimeBy(999_999_999, NANOSECONDS);
        subscriber.assertValues(0);
        plugins.scheduler().advanceTimeBy(1, NANOSECONDS);
        subscriber.assertResult(0, 1);
    }

    @Test
    @DisplayName("an hour of nothing is not repaid, and a jump of hours lets out no more than the limit")
    void idleTimeIsNotSavedUp() {
        TestSubscriber<Integer> subscriber =
                Flowable.range(0, 100).compose(RateLimit.of(5, ofSeconds(1))).test(0);
        plugins.scheduler().advanceTimeBy(3600, SECONDS);
        subscriber.request(100);
        subscriber.assertValueCount(5);
        plugins.scheduler().advanceTimeBy(1, SECONDS);
        subscriber.assertValueCount(10);
    }
}
