package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import io.reactivex.rxjava3.core.BackpressureStrategy;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleObserver;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A call that has waited, and is over on another thread while the worker's thread still subscribes its source. */
class EndedWhileSubscribedTest {

    private static final Duration TICK = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int ROUNDS = 1_000;

    @RegisterExtension
    final Plugins plugins = Plugins.withRealTime();

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter =
            RateLimiter.builder(Limit.of(1, TICK)).timeSource(time).build();
    private final AtomicInteger interrupted = new AtomicInteger();
    private volatile int disposedMeanwhile;
    private volatile CountDownLatch handedOver = new CountDownLatch(1);

    private final CountedWorkers workers = new CountedWorkers(Schedulers.single());

    /** Lets another thread do something to its end, and notes what this one sees of it. */
    private void meanwhile(Runnable other) {
        Thread runner = new Thread(
                () -> {
                    awaitQuietly(handedOver); // before that, RxJava leaves the interrupt to who hands the task over
                    other.run();
                },
                "other");
        runner.start();
        try {
            runner.join(LONG.toMillis());
            if (Thread.interrupted()) { // the other one was at its end before this one waited
                interrupted.incrementAndGet();
            }
        } catch (InterruptedException seen) {
            interrupted.incrementAndGet();
        }
        disposedMeanwhile = workers.disposed.get();
    }

    private <T> Observable<T> single(Single<T> source) {
        return source.compose(RateLimit.<T>with(limiter)).toObservable();
    }

    /** Subscribes, brings the permit, and waits until the worker's thread has subscribed the source. */
    private void callAfterAWait(Observable<?> call, TestObserver<Object> observer) throws InterruptedException {
        RxJavaPlugins.setComputationSchedulerHandler(usual -> workers);
        time.advanceBy(TICK);
        limiter.tryAcquire();
        handedOver = new CountDownLatch(1);
        call.subscribe(observer);
        time.advanceBy(TICK);
        handedOver.countDown();
        CountDownLatch subscribed = new CountDownLatch(1);
        Schedulers.single().scheduleDirect(subscribed::countDown);
        assertThat(subscribed.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @DisplayName("ended: the subscribing thread is not interrupted, and disposes the worker itself when it is done")
    void ended() throws InterruptedException {
        IllegalStateException forced = new IllegalStateException("forced");
        List<Observable<?>> calls = List.of(
                single(Single.create(sink -> meanwhile(() -> sink.onSuccess(1)))),
                single(Single.create(sink -> meanwhile(() -> sink.onError(forced)))),
                Maybe.<Integer>create(sink -> meanwhile(() -> sink.onSuccess(1)))
                        .compose(RateLimit.with(limiter))
                        .toObservable(),
                Maybe.<Integer>create(sink -> meanwhile(sink::onComplete))
                        .compose(RateLimit.with(limiter))
                        .toObservable(),
                Completable.create(sink -> meanwhile(sink::onComplete))
                        .compose(RateLimit.with(limiter))
                        .toObservable(),
                Flowable.<Integer>create(sink -> meanwhile(sink::onComplete), BackpressureStrategy.BUFFER)
                        .compose(RateLimit.perSubscription(limiter))
                        .toObservable(),
                Flowable.<Integer>create(sink -> meanwhile(() -> sink.onError(forced)), BackpressureStrategy.BUFFER)
                        .compose(RateLimit.perSubscription(limiter))
                        .toObservable(),
                Observable.<Integer>create(sink -> meanwhile(sink::onComplete))
                        .compose(RateLimit.perSubscription(limiter)));
        for (int call = 0; call < calls.size(); call++) {
            TestObserver<Object> observer = new TestObserver<>();
            callAfterAWait(calls.get(call), observer);
            assertThat(observer.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(interrupted).as("call %d", call).hasValue(0);
            assertThat(disposedMeanwhile).as("call %d", call).isEqualTo(call);
            assertThat(workers.disposed).as("call %d", call).hasValue(call + 1);
            assertThat(workers.made).hasValue(call + 1);
        }
    }

    @Test
    @DisplayName("disposed when it has ended already: nor is it then")
    void disposedAfterTheEnd() throws InterruptedException {
        AtomicReference<Disposable> ofCall = new AtomicReference<>();
        callAfterAWait(
                single(Single.<Integer>create(sink -> meanwhile(() -> {
                            sink.onSuccess(1);
                            ofCall.get().dispose();
                        })))
                        .doOnSubscribe(ofCall::set),
                new TestObserver<>());
        assertThat(interrupted).hasValue(0);
        assertThat(disposedMeanwhile).isZero();
        assertThat(workers.disposed).hasValue(1);
    }

    @Test
    @DisplayName("disposed before its end: the worker is disposed at once, which interrupts the subscribing thread")
    void disposed() throws InterruptedException {
        TestObserver<Object> single = new TestObserver<>();
        callAfterAWait(single(Single.create(sink -> meanwhile(single::dispose))), single);
        assertThat(interrupted).hasValue(1);
        assertThat(disposedMeanwhile).isEqualTo(1);
        TestObserver<Object> flowable = new TestObserver<>();
        callAfterAWait(
                Flowable.create(sink -> meanwhile(flowable::dispose), BackpressureStrategy.BUFFER)
                        .compose(RateLimit.perSubscription(limiter))
                        .toObservable(),
                flowable);
        assertThat(interrupted).hasValue(2);
        assertThat(disposedMeanwhile).isEqualTo(2);
        assertThat(workers.disposed).hasValue(2);
    }

    @Test
    @DisplayName("a source that ends and then throws as it is subscribed: the worker is disposed all the same")
    void endedAndThrown() throws InterruptedException {
        TestObserver<Object> observer = new TestObserver<>();
        Single<Integer> broken = new Single<>() {
            @Override
            protected void subscribeActual(SingleObserver<? super Integer> downstream) {
                meanwhile(() -> downstream.onSuccess(1));
                throw new IllegalStateException("forced");
            }
        };
        callAfterAWait(single(broken), observer);
        observer.assertResult(1);
        assertThat(disposedMeanwhile).isZero();
        assertThat(workers.disposed).hasValue(1);
        assertThat(plugins.takeErrors()).hasSizeGreaterThanOrEqualTo(1);
    }

    @Test
    @DisplayName("a worker that takes no task: the call fails, and the worker is disposed")
    void rejected() {
        ExecutorService gone = Executors.newSingleThreadExecutor();
        gone.shutdown();
        CountedWorkers rejecting = new CountedWorkers(Schedulers.from(gone));
        RxJavaPlugins.setComputationSchedulerHandler(usual -> rejecting);
        limiter.tryAcquire();
        TestObserver<Integer> observer =
                Single.just(1).compose(RateLimit.with(limiter)).test();
        time.advanceBy(TICK);
        observer.assertFailure(RejectedExecutionException.class);
        assertThat(rejecting.made).hasValue(1);
        assertThat(rejecting.disposed).hasValue(1);
        assertThat(plugins.takeErrors()).hasSize(1);
    }

    @Test
    @DisplayName("the end against the return of subscribe, and a dispose beside them: no worker is left behind")
    void endAgainstReturn() {
        TestScheduler here = new TestScheduler();
        CountedWorkers counting = new CountedWorkers(here);
        RxJavaPlugins.setComputationSchedulerHandler(usual -> counting);
        try (Race race = new Race()) {
            for (int round = 0; round < ROUNDS; round++) {
                raceOnce(race, here, round);
                assertThat(counting.made).hasValue(round + 1);
                assertThat(counting.disposed).as("round %d", round).hasValue(round + 1);
            }
        }
    }

    private void raceOnce(Race race, TestScheduler here, int round) {
        CountDownLatch subscribing = new CountDownLatch(1);
        AtomicReference<Runnable> end = new AtomicReference<>();
        time.advanceBy(TICK);
        limiter.tryAcquire();
        TestObserver<Object> observer = round % 2 == 0
                ? single(Single.create(sink -> {
                            end.set(() -> sink.onSuccess(1));
                            subscribing.countDown();
                        }))
                        .test()
                : Flowable.create(
                                sink -> {
                                    end.set(sink::onComplete);
                                    subscribing.countDown();
                                },
                                BackpressureStrategy.BUFFER)
                        .compose(RateLimit.perSubscription(limiter))
                        .toObservable()
                        .test();
        time.advanceBy(TICK);
        Runnable ends = () -> {
            awaitQuietly(subscribing);
            end.get().run();
        };
        Runnable disposes = () -> {
            awaitQuietly(subscribing);
            observer.dispose();
        };
        if (round % 4 < 2) {
            race.run(here::triggerActions, ends);
        } else {
            race.run(here::triggerActions, ends, disposes);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
