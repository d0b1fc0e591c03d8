package dev.weir.rxjava;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Observer;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which threads elements go on, and what happens where there are none. */
class SchedulersTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    /** A period that does not end while a test lasts, by the clock of the machine. */
    private static final Duration LASTING = Duration.ofHours(1);

    @RegisterExtension
    final Plugins plugins = Plugins.withRealTime();

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter =
            RateLimiter.builder(Limit.of(1, ofSeconds(1))).timeSource(time).build();
    private final CountedWorkers counting = new CountedWorkers(Schedulers.single());

    private static String threadName() {
        return Thread.currentThread().getName();
    }

    @Test
    @DisplayName("a permit that is there at once: on the thread that asked, and no worker is made")
    void atOnce() {
        RxJavaPlugins.setComputationSchedulerHandler(usual -> counting);
        RateLimiter unlimited = RateLimiter.of(Limit.unlimited());
        String here = threadName();
        Flowable.range(0, 100)
                .compose(RateLimit.with(unlimited))
                .map(item -> threadName())
                .distinct()
                .test()
                .assertResult(here);
        Single.fromCallable(SchedulersTest::threadName)
                .compose(RateLimit.with(unlimited))
                .test()
                .assertResult(here);
        assertThat(counting.made).hasValue(0);
    }

    @Test
    @DisplayName("after a wait for a shared limiter: on one worker of the stream's own, disposed in the end")
    void afterAWait() {
        RxJavaPlugins.setComputationSchedulerHandler(usual -> counting);
        List<String> threads = new CopyOnWriteArrayList<>();
        TestSubscriber<Integer> subscriber = Flowable.range(0, 4)
                .compose(RateLimit.with(limiter))
                .doOnNext(item -> threads.add(threadName()))
                .test();
        for (int element = 1; element < 4; element++) {
            int expected = element + 1;
            await().atMost(LONG).until(() -> limiter.statistics().queuedPermits() == 1);
            time.advanceBy(ofSeconds(1));
            await().atMost(LONG).until(() -> threads.size() == expected);
        }
        subscriber.awaitDone(20, TimeUnit.SECONDS).assertResult(0, 1, 2, 3);
        assertThat(threads.subList(1, 4)).containsOnly(threads.get(3)).doesNotContain(threadName());
        assertThat(counting.made).hasValue(1);
        await().atMost(LONG).until(() -> counting.disposed.get() == 1);
    }

    @Test
    @DisplayName("cancelled or failed, the worker is disposed too")
    void workerIsDisposed() {
        RxJavaPlugins.setComputationSchedulerHandler(usual -> counting);
        TestSubscriber<Integer> cancelled =
                Flowable.range(0, 4).compose(RateLimit.with(limiter)).test();
        time.advanceBy(ofSeconds(1));
        await().atMost(LONG).until(() -> cancelled.values().size() == 2);
        cancelled.cancel();
        await().atMost(LONG).until(() -> counting.disposed.get() == 1);
        limiter.tryAcquire();
        var call = Single.error(new IllegalStateException("forced"))
                .compose(RateLimit.with(limiter))
                .test();
        time.advanceBy(ofSeconds(5));
        call.awaitDone(20, TimeUnit.SECONDS).assertFailure(IllegalStateException.class);
        await().atMost(LONG).until(() -> counting.disposed.get() == 2);
        assertThat(counting.made).hasValue(2);
    }

    @Test
    @DisplayName(
            "an observer that throws when it hears of the end, against the rules: the worker is disposed all the same")
    void workerIsDisposedWhereTheEndThrows() {
        TestScheduler scheduler = new TestScheduler();
        CountedWorkers workers = new CountedWorkers(scheduler);
        RxJavaPlugins.setComputationSchedulerHandler(usual -> workers);
        IllegalStateException forced = new IllegalStateException("forced");
        List<Observable<Object>> calls = List.of(
                Flowable.empty().compose(RateLimit.perSubscription(limiter)).toObservable(),
                Observable.empty().compose(RateLimit.perSubscription(limiter)),
                Single.error(forced).compose(RateLimit.with(limiter)).toObservable(),
                Maybe.<Object>just(1).compose(RateLimit.with(limiter)).toObservable(),
                Completable.complete().compose(RateLimit.with(limiter)).toObservable());
        limiter.tryAcquire();
        for (Observable<Object> call : calls) {
            call.subscribe(new Throwing());
            time.advanceBy(ofSeconds(1));
            Throwable thrown = catchThrowable(scheduler::triggerActions);
            assertThat(workers.disposed.get()).isEqualTo(workers.made.get());
            assertThat(Stream.concat(Stream.ofNullable(thrown), plugins.takeErrors().stream()))
                    .as("what the scheduler and the plugins hear")
                    .isNotEmpty()
                    .allSatisfy(heard -> assertThat(rootOf(heard)).hasMessageStartingWith("no e"));
        }
        assertThat(workers.made).hasValue(calls.size());
    }

    @Test
    @DisplayName(
            "a consumer that blocks on a thread of its own, by emitOn, delays nobody else who waits for the same limiter")
    void slowConsumer() throws InterruptedException {
        StreamOptions apart = StreamOptions.defaults().emitOn(task -> new Thread(task).start());
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(1);
        limiter.tryAcquire();
        Disposable slow = Flowable.just(1)
                .compose(RateLimit.with(limiter, apart))
                .doOnNext(item -> {
                    blocked.countDown();
                    release.await();
                })
                .subscribe();
        TestSubscriber<Integer> other =
                Flowable.just(2).compose(RateLimit.with(limiter)).test();
        time.advanceBy(ofSeconds(1));
        assertThat(blocked.await(20, TimeUnit.SECONDS)).isTrue();
        time.advanceBy(ofSeconds(1));
        other.awaitDone(20, TimeUnit.SECONDS).assertResult(2);
        release.countDown();
        slow.dispose();
    }

    @Test
    @DisplayName("emitOn says where")
    void emitOn() {
        ExecutorService executor = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "mine");
            thread.setDaemon(true);
            return thread;
        });
        limiter.tryAcquire();
        TestSubscriber<String> subscriber = Flowable.just(1)
                .compose(RateLimit.with(limiter, StreamOptions.defaults().emitOn(executor)))
                .map(item -> threadName())
                .test();
        time.advanceBy(ofSeconds(1));
        subscriber.awaitDone(20, TimeUnit.SECONDS).assertResult("mine");
        executor.shutdown();
    }

    @Test
    @DisplayName(
            "a call that has waited begins where the limit goes on: subscribeOn moves it before the limit, not behind")
    void subscribeOn() {
        TestScheduler computation = new TestScheduler();
        TestScheduler io = new TestScheduler();
        RxJavaPlugins.setComputationSchedulerHandler(usual -> computation);
        String[] running = {"none"};
        Single<String> call = Single.fromCallable(() -> running[0]);
        limiter.tryAcquire();
        TestObserver<String> behind =
                call.compose(RateLimit.with(limiter)).subscribeOn(io).test();
        TestObserver<String> before =
                call.subscribeOn(io).compose(RateLimit.with(limiter)).test();
        running[0] = "io";
        io.triggerActions();
        time.advanceBy(ofSeconds(1));
        time.advanceBy(ofSeconds(1));
        running[0] = "computation";
        computation.triggerActions();
        running[0] = "io";
        io.triggerActions();
        behind.assertResult("computation");
        before.assertResult("io");
    }

    @Test
    @DisplayName(
            "a scheduler that has been disposed fails the streams that come to need it: own limiter, shared limiter,"
                    + " call")
    void disposedScheduler() {
        for (Supplier<Scheduler> made : List.<Supplier<Scheduler>>of(
                () -> {
                    Scheduler computation = RxJavaPlugins.createComputationScheduler(Thread::new);
                    computation.shutdown();
                    return computation;
                },
                () -> {
                    ExecutorService executor = Executors.newScheduledThreadPool(1);
                    executor.shutdown();
                    return Schedulers.from(executor);
                },
                Rejecting::new)) {
            Scheduler scheduler = made.get();
            RxJavaPlugins.setComputationSchedulerHandler(usual -> scheduler);
            Flowable.range(0, 3)
                    .compose(RateLimit.of(1, LASTING))
                    .test()
                    .assertFailure(RejectedExecutionException.class, 0);
            Observable.range(0, 3)
                    .compose(RateLimit.of(1, LASTING))
                    .test()
                    .assertFailure(RejectedExecutionException.class, 0);
            Single<Integer> call = Single.just(1).compose(RateLimit.of(1, LASTING));
            call.test().assertResult(1);
            call.test().assertFailure(RejectedExecutionException.class);

            TestSubscriber<Integer> shared =
                    Flowable.range(0, 9).compose(RateLimit.with(limiter)).test();
            TestSubscriber<Integer> sharedCall =
                    Single.just(1).compose(RateLimit.with(limiter)).toFlowable().test();
            time.advanceBy(ofSeconds(1));
            time.advanceBy(ofSeconds(1));
            shared.assertError(RejectedExecutionException.class);
            sharedCall.assertFailure(RejectedExecutionException.class);
            plugins.takeErrors(); // RxJava's own reports
            time.advanceBy(ofSeconds(1));
            assertThat(limiter.availablePermits()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName(
            "an executor that takes no task, however it says so, fails streams and calls, and the permit goes back")
    void rejectingExecutor() {
        for (RuntimeException rejection :
                List.of(new RejectedExecutionException("full"), new IllegalStateException("closed"))) {
            StreamOptions options = StreamOptions.defaults().emitOn(task -> {
                throw rejection;
            });
            limiter.tryAcquire();
            TestSubscriber<Integer> elements = Flowable.range(0, 3)
                    .compose(RateLimit.with(limiter, options))
                    .test();
            time.advanceBy(ofSeconds(1));
            elements.assertFailure(RejectedExecutionException.class);
            assertThat(limiter.availablePermits()).isEqualTo(1);

            RateLimiter one = RateLimiter.of(Limit.concurrency(1));
            Lease out = one.tryAcquire();
            TestObserver<Integer> call = Single.just(1)
                    .compose(RateLimit.perSubscription(one, options))
                    .test();
            out.close();
            call.assertFailure(RejectedExecutionException.class);
            assertThat(one.availablePermits()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName(
            "the trampoline in the place of the computation scheduler, as in some tests: it waits on the thread itself")
    void trampoline() {
        RxJavaPlugins.setComputationSchedulerHandler(usual -> Schedulers.trampoline());
        Flowable.range(0, 3)
                .compose(RateLimit.of(1, Duration.ofMillis(2)))
                .test()
                .assertResult(0, 1, 2);
    }

    @Test
    @DisplayName("a shared limiter on a test scheduler, computation the same: all in virtual time")
    void sharedInVirtualTime() {
        TestScheduler scheduler = new TestScheduler();
        RxJavaPlugins.setComputationSchedulerHandler(usual -> scheduler);
        RateLimiter virtual = RateLimiter.builder(Limit.of(1, ofSeconds(1)))
                .timeSource(RxTime.of(scheduler))
                .build();
        TestSubscriber<Integer> first =
                Flowable.range(0, 3).compose(RateLimit.with(virtual)).test();
        TestSubscriber<Integer> second =
                Flowable.range(0, 3).compose(RateLimit.with(virtual)).test();
        scheduler.advanceTimeBy(3, TimeUnit.SECONDS);
        assertThat(first.values().size() + second.values().size()).isEqualTo(4);
        scheduler.advanceTimeBy(2, TimeUnit.SECONDS);
        first.assertResult(0, 1, 2);
        second.assertResult(0, 1, 2);
    }

    private static Throwable rootOf(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return cause == null ? thrown : rootOf(cause);
    }

    /** Wants to hear nothing. */
    private static final class Throwing implements Observer<Object> {

        @Override
        public void onSubscribe(Disposable disposable) {}

        @Override
        public void onNext(Object element) {
            throw new IllegalStateException("no element");
        }

        @Override
        public void onError(Throwable error) {
            throw new IllegalStateException("no error");
        }

        @Override
        public void onComplete() {
            throw new IllegalStateException("no end");
        }
    }

    /** Takes no tasks, and says so by throwing. */
    private static final class Rejecting extends Scheduler {

        @Override
        public Disposable scheduleDirect(Runnable task, long delay, TimeUnit unit) {
            throw new IllegalStateException("no");
        }

        @Override
        public Worker createWorker() {
            throw new IllegalStateException("no");
        }
    }
}
