package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.BackpressureStrategy;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.subjects.CompletableSubject;
import io.reactivex.rxjava3.subjects.MaybeSubject;
import io.reactivex.rxjava3.subjects.PublishSubject;
import io.reactivex.rxjava3.subjects.SingleSubject;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;

/** Calls that are gated: the subscription needs the permit. All kinds are seen as observables here. */
class CallsTest {

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final Minute minute = new Minute();

    /** Each kind: a callable source behind a gate on the limiter and with the options given. */
    private interface Kind {

        Observable<Object> gated(Runnable call, RateLimiter limiter, StreamOptions options);
    }

    static Stream<Arguments> kinds() {
        Kind flowable = (call, limiter, options) -> Flowable.fromCallable(() -> called(call))
                .compose(RateLimit.perSubscription(limiter, options))
                .toObservable();
        Kind observable = (call, limiter, options) ->
                Observable.fromCallable(() -> called(call)).compose(RateLimit.perSubscription(limiter, options));
        Kind single = (call, limiter, options) -> Single.fromCallable(() -> called(call))
                .compose(RateLimit.with(limiter, options))
                .toObservable();
        Kind maybe = (call, limiter, options) -> Maybe.fromCallable(() -> called(call))
                .compose(RateLimit.with(limiter, options))
                .toObservable();
        Kind completable = (call, limiter, options) -> Completable.fromRunnable(call)
                .compose(RateLimit.with(limiter, options))
                .toObservable();
        return Stream.of(
                Arguments.of("flowable", flowable),
                Arguments.of("observable", observable),
                Arguments.of("single", single),
                Arguments.of("maybe", maybe),
                Arguments.of("completable", completable));
    }

    private static Object called(Runnable call) {
        call.run();
        return "called";
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    @DisplayName("onSubscribe comes at once, the call begins with the permit and not before")
    void beginsWithThePermit(String name, Kind kind) {
        AtomicInteger calls = new AtomicInteger();
        TestObserver<Object> observer = new TestObserver<>();
        kind.gated(calls::incrementAndGet, minute.exhausted().limiter, minute.options)
                .subscribe(observer);
        assertThat(observer.hasSubscription()).isTrue();
        assertThat(calls).hasValue(0);
        minute.pass();
        assertThat(calls).hasValue(1);
        observer.assertComplete();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    @DisplayName("disposed while it waits, nothing is called and the permit is there for the next")
    void disposedWhileItWaits(String name, Kind kind) {
        AtomicInteger calls = new AtomicInteger();
        Observable<Object> gated = kind.gated(calls::incrementAndGet, minute.exhausted().limiter, minute.options);
        for (int round = 0; round < 200; round++) {
            gated.test().dispose();
        }
        assertThat(minute.limiter.statistics().queuedPermits()).isZero();
        assertThat(minute.time.pendingTasks()).isZero();
        minute.pass();
        assertThat(calls).hasValue(0);
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    @DisplayName("disposed after the grant, before it could begin: the permit goes back, nothing is called")
    void disposedAfterTheGrant(String name, Kind kind) {
        AtomicInteger calls = new AtomicInteger();
        List<Runnable> tasks = new ArrayList<>();
        TestObserver<Object> observer = kind.gated(
                        calls::incrementAndGet, minute.exhausted().limiter, minute.options.emitOn(tasks::add))
                .test();
        minute.pass();
        observer.dispose();
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);
        tasks.forEach(Runnable::run);
        assertThat(calls).hasValue(0);
        observer.assertEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    @DisplayName("disposed from within onSubscribe, the limiter is never asked")
    void disposedWithinOnSubscribe(String name, Kind kind) {
        AtomicInteger calls = new AtomicInteger();
        TestObserver<Object> observer = new TestObserver<>();
        observer.dispose();
        kind.gated(calls::incrementAndGet, minute.limiter, minute.options).subscribe(observer);
        assertThat(calls).hasValue(0);
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    @DisplayName("timeout bounds the wait")
    void timeout(String name, Kind kind) {
        AtomicInteger calls = new AtomicInteger();
        TestObserver<Object> observer = kind.gated(calls::incrementAndGet, minute.exhausted().limiter, minute.options)
                .timeout(100, TimeUnit.MILLISECONDS)
                .test();
        plugins.scheduler().advanceTimeBy(100, TimeUnit.MILLISECONDS);
        observer.assertFailure(TimeoutException.class);
        minute.pass();
        assertThat(calls).hasValue(0);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    @DisplayName("every retry pays again, and so does every repeat")
    void retryPays(String name, Kind kind) {
        AtomicInteger calls = new AtomicInteger();
        TestObserver<Object> retried = kind.gated(
                        () -> {
                            if (calls.incrementAndGet() < 3) {
                                throw new IllegalStateException("forced");
                            }
                        },
                        minute.limiter,
                        minute.options)
                .retry()
                .test();
        assertThat(calls).hasValue(1);
        minute.pass();
        assertThat(calls).hasValue(2);
        minute.pass();
        assertThat(calls).hasValue(3);
        retried.assertComplete();
        TestObserver<Object> repeated = kind.gated(calls::incrementAndGet, minute.limiter, minute.options)
                .repeat(2)
                .test();
        minute.pass();
        repeated.assertNotComplete();
        minute.pass();
        repeated.assertComplete();
        assertThat(calls).hasValue(5);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    @DisplayName("switchMap leaves no call behind for nobody")
    void switchMap(String name, Kind kind) {
        AtomicInteger calls = new AtomicInteger();
        PublishSubject<Integer> switches = PublishSubject.create();
        Observable<Object> gated = kind.gated(calls::incrementAndGet, minute.exhausted().limiter, minute.options);
        TestObserver<Object> observer = switches.switchMap(item -> gated).test();
        switches.onNext(1);
        switches.onNext(2);
        switches.onNext(3);
        minute.pass();
        minute.pass();
        assertThat(calls).hasValue(1);
        observer.assertNotComplete();
    }

    /** Each kind: a source that a test ends, behind a gate on the limiter. */
    private record Ending(Observable<Object> gated, Runnable succeed, Consumer<Throwable> fail) {}

    static Stream<Arguments> endings() {
        Function<RateLimiter, Ending> observable = limiter -> {
            PublishSubject<Object> source = PublishSubject.create();
            return new Ending(source.compose(RateLimit.perSubscription(limiter)), source::onComplete, source::onError);
        };
        Function<RateLimiter, Ending> flowable = limiter -> {
            PublishSubject<Object> source = PublishSubject.create();
            return new Ending(
                    source.toFlowable(BackpressureStrategy.ERROR)
                            .compose(RateLimit.perSubscription(limiter))
                            .toObservable(),
                    source::onComplete,
                    source::onError);
        };
        Function<RateLimiter, Ending> single = limiter -> {
            SingleSubject<Object> source = SingleSubject.create();
            return new Ending(
                    source.compose(RateLimit.with(limiter)).toObservable(),
                    () -> source.onSuccess("done"),
                    source::onError);
        };
        Function<RateLimiter, Ending> maybe = limiter -> {
            MaybeSubject<Object> source = MaybeSubject.create();
            return new Ending(
                    source.compose(RateLimit.with(limiter)).toObservable(),
                    () -> source.onSuccess("done"),
                    source::onError);
        };
        Function<RateLimiter, Ending> empty = limiter -> {
            MaybeSubject<Object> source = MaybeSubject.create();
            return new Ending(
                    source.compose(RateLimit.with(limiter)).toObservable(), source::onComplete, source::onError);
        };
        Function<RateLimiter, Ending> completable = limiter -> {
            CompletableSubject source = CompletableSubject.create();
            return new Ending(
                    source.compose(RateLimit.with(limiter)).toObservable(), source::onComplete, source::onError);
        };
        return Stream.of(
                Arguments.of("observable", observable),
                Arguments.of("flowable", flowable),
                Arguments.of("single", single),
                Arguments.of("maybe", maybe),
                Arguments.of("maybe, empty", empty),
                Arguments.of("completable", completable));
    }

    @Test
    @DisplayName(
            "disposed by another thread while its source is at work as it is subscribed, the lease is out until that is over")
    void disposedWhileItIsSubscribed() throws InterruptedException {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        for (UnaryOperator<Flowable<Long>> gated : List.<UnaryOperator<Flowable<Long>>>of(
                calls -> calls.compose(RateLimit.perSubscription(one)),
                calls -> calls.firstOrError().compose(RateLimit.with(one)).toFlowable())) {
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch disposed = new CountDownLatch(1);
            Queue<Boolean> acquired = new ConcurrentLinkedQueue<>();
            Flowable<Long> blocking = Flowable.fromCallable(() -> {
                begun.countDown();
                disposed.await();
                acquired.add(one.tryAcquire().isAcquired());
                return 1L;
            });
            TestSubscriber<Long> downstream = new TestSubscriber<>();
            Thread subscriber = new Thread(() -> gated.apply(blocking).subscribe(downstream));
            subscriber.start();
            begun.await();
            downstream.cancel();
            assertThat(one.availablePermits()).isZero();
            disposed.countDown();
            subscriber.join();
            assertThat(acquired).containsExactly(false);
            assertThat(one.availablePermits()).isOne();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("endings")
    @DisplayName("the lease is out exactly as long as the call: it is back before downstream hears of the end")
    void leaseEndsWithTheCall(String name, Function<RateLimiter, Ending> kind) {
        RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        List<Long> heard = new ArrayList<>();

        Ending succeeds = kind.apply(limiter);
        succeeds.gated()
                .doOnNext(any -> heard.add(limiter.availablePermits()))
                .doOnComplete(() -> heard.add(limiter.availablePermits()))
                .test()
                .assertEmpty();
        assertThat(limiter.availablePermits()).isZero();
        succeeds.succeed().run();
        assertThat(heard).isNotEmpty().containsOnly(1L);

        Ending fails = kind.apply(limiter);
        fails.gated()
                .doOnError(any -> heard.add(limiter.availablePermits()))
                .test()
                .assertEmpty();
        assertThat(limiter.availablePermits()).isZero();
        fails.fail().accept(new IOException("forced"));
        assertThat(heard).containsOnly(1L);

        TestObserver<Object> disposed = kind.apply(limiter).gated().test();
        assertThat(limiter.availablePermits()).isZero();
        disposed.dispose();
        assertThat(limiter.availablePermits()).isEqualTo(1);
        disposed.dispose();
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("demand from before the permit reaches the source, once, and later demand directly")
    void demandReachesTheSource() {
        Asked<Integer> source = new Asked<>();
        TestSubscriber<Integer> subscriber = source.compose(
                        RateLimit.perSubscription(minute.exhausted().limiter, minute.options))
                .test(0);
        subscriber.request(3);
        subscriber.request(4);
        assertThat(source.subscriptions()).isZero();
        minute.pass();
        assertThat(source.requests()).containsExactly(7L);
        subscriber.request(Long.MAX_VALUE);
        assertThat(source.requests()).containsExactly(7L, Long.MAX_VALUE);
        source.send(1, 2);
        source.complete();
        subscriber.assertResult(1, 2);
    }

    @Test
    @DisplayName("a source that throws when it is subscribed late fails downstream and gives the lease back")
    void sourceThrows() {
        RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        IllegalStateException thrown = new IllegalStateException("from subscribe");
        RateLimit<Object> calls = RateLimit.perSubscription(limiter);
        Flowable.unsafeCreate(any -> {
                    throw thrown;
                })
                .compose(calls)
                .test()
                .assertFailure(IllegalStateException.class);
        Observable.unsafeCreate(any -> {
                    throw thrown;
                })
                .compose(calls)
                .test()
                .assertFailure(IllegalStateException.class);
        Single.unsafeCreate(any -> {
                    throw thrown;
                })
                .compose(calls)
                .test()
                .assertFailure(IllegalStateException.class);
        Maybe.unsafeCreate(any -> {
                    throw thrown;
                })
                .compose(calls)
                .test()
                .assertFailure(IllegalStateException.class);
        Completable.unsafeCreate(any -> {
                    throw thrown;
                })
                .compose(calls)
                .test()
                .assertFailure(IllegalStateException.class);
        assertThat(limiter.availablePermits()).isEqualTo(1);
        assertThat(plugins.takeErrors()).as("some kinds tell the plugins too").containsOnly(thrown);
    }

    @Test
    @DisplayName(
            "a source that throws when it has sent its disposable: that is disposed of, once, and downstream fails")
    void sourceThrowsAfterOnSubscribe() {
        RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        IllegalStateException thrown = new IllegalStateException("from subscribe");
        RateLimit<Object> calls = RateLimit.perSubscription(limiter);
        Running running = new Running();
        List<Observable<Object>> gated = List.of(
                Flowable.unsafeCreate(subscriber -> {
                            subscriber.onSubscribe(running);
                            throw thrown;
                        })
                        .compose(calls)
                        .toObservable(),
                Observable.unsafeCreate(observer -> {
                            observer.onSubscribe(running);
                            throw thrown;
                        })
                        .compose(calls),
                Single.unsafeCreate(observer -> {
                            observer.onSubscribe(running);
                            throw thrown;
                        })
                        .compose(calls)
                        .toObservable(),
                Maybe.unsafeCreate(observer -> {
                            observer.onSubscribe(running);
                            throw thrown;
                        })
                        .compose(calls)
                        .toObservable(),
                Completable.unsafeCreate(observer -> {
                            observer.onSubscribe(running);
                            throw thrown;
                        })
                        .compose(calls)
                        .toObservable());
        for (int call = 0; call < gated.size(); call++) {
            TestObserver<Object> observer = gated.get(call).test();
            observer.dispose();
            observer.assertFailure(IllegalStateException.class);
            assertThat(running.ends).as("call %d", call).hasValue(call + 1);
            assertThat(limiter.availablePermits()).isEqualTo(1);
        }
        assertThat(plugins.takeErrors()).as("some kinds tell the plugins too").containsOnly(thrown);
    }

    /** What a source sends when it is subscribed; it counts how often it is told to stop. */
    private static final class Running implements Subscription, Disposable {

        private final AtomicInteger ends = new AtomicInteger();

        @Override
        public void request(long elements) {}

        @Override
        public void cancel() {
            ends.incrementAndGet();
        }

        @Override
        public void dispose() {
            ends.incrementAndGet();
        }

        @Override
        public boolean isDisposed() {
            return false;
        }
    }

    @Test
    @DisplayName("a source that fails fatally when it is subscribed: the thread hears of it, and the lease is closed")
    void fatal() {
        RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        Flowable<Integer> flowable = Flowable.unsafeCreate(any -> {
            throw new LinkageError("fatal");
        });
        Single<Integer> single = Single.unsafeCreate(any -> {
            throw new LinkageError("fatal");
        });
        assertThatThrownBy(() ->
                        flowable.compose(RateLimit.perSubscription(limiter)).test())
                .hasMessage("fatal");
        assertThat(limiter.availablePermits()).isEqualTo(1);
        assertThatThrownBy(() -> single.compose(RateLimit.with(limiter)).test()).hasMessage("fatal");
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a source that throws when it is cancelled: the thread hears of it, and the lease is closed")
    void cancelThrows() {
        RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        TestSubscriber<Integer> flowable = Flowable.<Integer>unsafeCreate(
                        subscriber -> subscriber.onSubscribe(new Subscribed()))
                .compose(RateLimit.perSubscription(limiter))
                .test();
        assertThatThrownBy(flowable::cancel).hasMessage("cancelled");
        assertThat(limiter.availablePermits()).isEqualTo(1);
        TestObserver<Integer> single = Single.<Integer>unsafeCreate(observer -> observer.onSubscribe(new Subscribed()))
                .compose(RateLimit.with(limiter))
                .test();
        assertThatThrownBy(single::dispose).hasMessage("cancelled");
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    /** Throws when it is no longer wanted. */
    private static final class Subscribed implements Subscription, Disposable {

        @Override
        public void request(long elements) {}

        @Override
        public void cancel() {
            throw new IllegalStateException("cancelled");
        }

        @Override
        public void dispose() {
            cancel();
        }

        @Override
        public boolean isDisposed() {
            return false;
        }
    }

    @Test
    @DisplayName("a call that ends inside its own subscribe, ten thousand times over: no stack, no permit lost")
    void tenThousandCalls() {
        RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        AtomicInteger calls = new AtomicInteger();
        List<TestObserver<Integer>> waiting = new ArrayList<>();
        SingleSubject<Integer> first = SingleSubject.create();
        first.compose(RateLimit.with(limiter, StreamOptions.defaults().emitOn(Runnable::run)))
                .test()
                .assertEmpty();
        for (int call = 0; call < 10_000; call++) {
            waiting.add(Single.fromCallable(calls::incrementAndGet)
                    .compose(RateLimit.with(limiter, StreamOptions.defaults().emitOn(Runnable::run)))
                    .test());
        }
        first.onSuccess(0);
        assertThat(calls).hasValue(10_000);
        waiting.forEach(TestObserver::assertComplete);
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }
}
