package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.CompletableObserver;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleObserver;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.exceptions.ProtocolViolationException;
import io.reactivex.rxjava3.exceptions.UndeliverableException;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.operators.QueueSubscription;
import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;

/** The rules of RxJava for operators: sources that misbehave, subscribers that misbehave, errors that come too late. */
class ProtocolTest {

    private final IOException forced = new IOException("forced");
    private static final RateLimiter UNLIMITED = RateLimiter.of(Limit.unlimited());

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final Minute minute = new Minute();

    static Stream<RateLimit<Object>> elementsAndCalls() {
        return Stream.of(
                RateLimit.with(UNLIMITED),
                RateLimit.with(UNLIMITED, StreamOptions.defaults().buffer(10)),
                RateLimit.perSubscription(UNLIMITED));
    }

    @ParameterizedTest
    @MethodSource("elementsAndCalls")
    @DisplayName("flowable: a second onSubscribe is cancelled and reported")
    void secondSubscription(RateLimit<Object> limit) {
        Asked<Object> source = new Asked<>();
        TestSubscriber<Object> subscriber = source.compose(limit).test();
        boolean[] cancelled = {false};
        source.downstream().onSubscribe(new Subscription() {
            @Override
            public void request(long elements) {
                throw new AssertionError("asked for " + elements);
            }

            @Override
            public void cancel() {
                cancelled[0] = true;
            }
        });
        assertThat(cancelled[0]).isTrue();
        assertViolation("Subscription already set!");
        assertThat(source.isCancelled()).isFalse();
        source.send(1);
        source.complete();
        subscriber.assertResult(1);
    }

    @ParameterizedTest
    @MethodSource("elementsAndCalls")
    @DisplayName("observable, single, maybe, completable: a second onSubscribe is disposed and reported")
    void secondDisposable(RateLimit<Object> limit) {
        assertSecondIsDisposed(first -> Observable.unsafeCreate(observer -> {
                    observer.onSubscribe(Disposable.empty());
                    observer.onSubscribe(first);
                })
                .compose(limit)
                .test());
        assertSecondIsDisposed(first -> Single.unsafeCreate(observer -> {
                    observer.onSubscribe(Disposable.empty());
                    observer.onSubscribe(first);
                })
                .compose(limit)
                .test());
        assertSecondIsDisposed(first -> Maybe.unsafeCreate(observer -> {
                    observer.onSubscribe(Disposable.empty());
                    observer.onSubscribe(first);
                })
                .compose(limit)
                .test());
        assertSecondIsDisposed(first -> Completable.unsafeCreate(observer -> {
                    observer.onSubscribe(Disposable.empty());
                    observer.onSubscribe(first);
                })
                .compose(limit)
                .test());
    }

    private void assertSecondIsDisposed(Function<Disposable, TestObserver<?>> subscribed) {
        Disposable second = Disposable.empty();
        TestObserver<?> observer = subscribed.apply(second);
        assertThat(second.isDisposed()).isTrue();
        assertThat(observer.isDisposed()).isFalse();
        assertViolation("Disposable already set!");
    }

    private void assertViolation(String message) {
        assertThat(plugins.takeErrors())
                .singleElement()
                .satisfies(error -> assertThat(error)
                        .isInstanceOf(ProtocolViolationException.class)
                        .hasMessage(message));
    }

    @ParameterizedTest
    @MethodSource("elementsAndCalls")
    @DisplayName("a request that is not positive is reported, and changes nothing")
    void badRequest(RateLimit<Object> limit) {
        AtomicReference<Subscription> given = new AtomicReference<>();
        List<Object> received = new ArrayList<>();
        Flowable.<Object>just(1, 2).compose(limit).subscribe(new FlowableSubscriber<Object>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                given.set(subscription);
            }

            @Override
            public void onNext(Object element) {
                received.add(element);
            }

            @Override
            public void onError(Throwable error) {
                received.add(error);
            }

            @Override
            public void onComplete() {
                received.add("complete");
            }
        });
        given.get().request(0);
        given.get().request(-1);
        given.get().request(Long.MIN_VALUE);
        assertThat(plugins.takeErrors())
                .hasSize(3)
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("n > 0 required"));
        assertThat(received).isEmpty();
        given.get().request(1);
        assertThat(received).containsExactly(1);
        given.get().request(5);
        assertThat(received).containsExactly(1, 2, "complete");
    }

    @ParameterizedTest
    @MethodSource("elementsAndCalls")
    @DisplayName("a source that goes on after its end: only its errors are heard, by the plugins")
    void sourceGoesOnAfterItsEnd(RateLimit<Object> limit) {
        Asked<Object> completes = new Asked<>();
        TestSubscriber<Object> subscriber = completes.compose(limit).test();
        completes.send(1);
        completes.complete();
        completes.send(2);
        completes.fail(forced);
        completes.complete();
        subscriber.assertResult(1);
        assertUndeliverable();

        Asked<Object> fails = new Asked<>();
        TestSubscriber<Object> other = fails.compose(limit).test();
        fails.fail(new IllegalStateException("first"));
        fails.send(2);
        fails.fail(forced);
        fails.complete();
        other.assertFailure(IllegalStateException.class);
        assertUndeliverable();

        TestObserver<Object> observer = Observable.<Object>unsafeCreate(downstream -> {
                    downstream.onSubscribe(Disposable.empty());
                    downstream.onNext(1);
                    downstream.onComplete();
                    downstream.onNext(2);
                    downstream.onError(forced);
                    downstream.onComplete();
                })
                .compose(limit)
                .test();
        observer.assertResult(1);
        assertUndeliverable();
    }

    @ParameterizedTest
    @MethodSource("elementsAndCalls")
    @DisplayName("an error after cancel is undeliverable")
    void errorAfterCancel(RateLimit<Object> limit) {
        Asked<Object> source = new Asked<>();
        TestSubscriber<Object> subscriber = source.compose(limit).test();
        subscriber.cancel();
        source.send(1);
        source.fail(forced);
        source.complete();
        subscriber.assertEmpty();
        assertUndeliverable();
    }

    @Test
    @DisplayName("an error after dispose is undeliverable, on every kind of call")
    void errorAfterDisposeOfCalls() {
        AtomicReference<SingleObserver<? super Object>> single = new AtomicReference<>();
        Single.unsafeCreate(observer -> {
                    observer.onSubscribe(Disposable.empty());
                    single.set(observer);
                })
                .compose(RateLimit.with(UNLIMITED))
                .test()
                .dispose();
        single.get().onError(forced);
        single.get().onSuccess(1);
        assertUndeliverable();
        AtomicReference<CompletableObserver> completable = new AtomicReference<>();
        Completable.unsafeCreate(observer -> {
                    observer.onSubscribe(Disposable.empty());
                    completable.set(observer);
                })
                .compose(RateLimit.with(UNLIMITED))
                .test()
                .dispose();
        completable.get().onError(forced);
        completable.get().onComplete();
        assertUndeliverable();
    }

    private void assertUndeliverable() {
        assertThat(plugins.takeErrors())
                .singleElement()
                .satisfies(error -> assertThat(error)
                        .isInstanceOf(UndeliverableException.class)
                        .hasCause(forced));
    }

    @Test
    @DisplayName("an element that comes too late after cancel is dropped for all to hear; after the end it is nobody's")
    void lateElements() {
        Asked<Object> cancelled = new Asked<>();
        cancelled.compose(RateLimit.with(UNLIMITED, minute.options)).test().cancel();
        cancelled.send("late");
        assertThat(minute.dropped).containsExactly("late");
        Asked<Object> completed = new Asked<>();
        TestSubscriber<Object> subscriber =
                completed.compose(RateLimit.with(UNLIMITED, minute.options)).test();
        completed.complete();
        subscriber.assertResult();
        completed.send("later");
        assertThat(minute.dropped).containsExactly("late");
    }

    @Test
    @DisplayName("dispose is idempotent, and isDisposed says so, on every kind")
    void disposed() {
        AtomicReference<Disposable> given = new AtomicReference<>();
        for (RateLimiter limiter : List.of(UNLIMITED, minute.exhausted().limiter)) {
            RateLimit<Object> limit = RateLimit.with(limiter);
            RateLimit<Object> calls = RateLimit.perSubscription(limiter);
            assertDisposes(
                    given,
                    Observable.never().compose(limit).doOnSubscribe(given::set).test());
            assertDisposes(
                    given,
                    Observable.never().compose(calls).doOnSubscribe(given::set).test());
            assertDisposes(
                    given,
                    Single.never().compose(limit).doOnSubscribe(given::set).test());
            assertDisposes(
                    given,
                    Maybe.never().compose(limit).doOnSubscribe(given::set).test());
            assertDisposes(
                    given,
                    Completable.never().compose(limit).doOnSubscribe(given::set).test());
        }
        assertThat(minute.limiter.statistics().queuedPermits()).isZero();
    }

    private static void assertDisposes(AtomicReference<Disposable> given, TestObserver<?> observer) {
        assertThat(given.get().isDisposed()).isFalse();
        given.get().dispose();
        given.get().dispose();
        assertThat(given.get().isDisposed()).isTrue();
        observer.assertEmpty();
    }

    @Test
    @DisplayName("downstream is never fused: it would take elements without permits")
    void downstreamIsNotFused() {
        Flowable.range(1, 5)
                .compose(RateLimit.with(minute.limiter, minute.options))
                .subscribe(new FlowableSubscriber<Integer>() {
                    @Override
                    public void onSubscribe(Subscription subscription) {
                        assertThat(subscription).isNotInstanceOf(QueueSubscription.class);
                    }

                    @Override
                    public void onNext(Integer element) {}

                    @Override
                    public void onError(Throwable error) {}

                    @Override
                    public void onComplete() {}
                });
    }

    @Test
    @DisplayName("compose runs the assembly hook over the operator, once")
    void assemblyHook() {
        List<String> assembled = new ArrayList<>();
        Flowable<Integer> source = Flowable.just(1);
        Single<Integer> call = Single.just(1);
        RxJavaPlugins.setOnFlowableAssembly(flowable -> {
            assembled.add(flowable.getClass().getSimpleName());
            return flowable;
        });
        RxJavaPlugins.setOnSingleAssembly(single -> {
            assembled.add(single.getClass().getSimpleName());
            return single;
        });
        source.compose(RateLimit.with(UNLIMITED)).test().assertResult(1);
        call.compose(RateLimit.with(UNLIMITED)).test().assertResult(1);
        assertThat(assembled).containsExactly("FlowableElements", "SingleCalls");
    }

    @Test
    @DisplayName("a cost function that fails, or answers what cannot be, fails the stream after what is held")
    void costFunctionFails() {
        Flowable.range(1, 5)
                .compose(RateLimit.weighted(UNLIMITED, item -> 6 / (3 - item), minute.options))
                .test()
                .assertFailure(ArithmeticException.class, 1, 2);
        Flowable.range(1, 5)
                .hide()
                .compose(RateLimit.weighted(UNLIMITED, item -> 3 - item, minute.options))
                .test()
                .assertFailure(IllegalArgumentException.class, 1, 2, 3);
        RateLimiter small = RateLimiter.of(Limit.of(10, Duration.ofDays(1)));
        Observable.range(1, 5)
                .compose(RateLimit.weighted(small, item -> item * 7, minute.options))
                .test()
                .assertFailure(IllegalArgumentException.class, 1);
        assertThat(minute.dropped).containsExactly(3, 4, 2);
    }

    @Test
    @DisplayName("a source that throws at the first request, when downstream has cancelled: the plugins hear of it")
    void requestThrowsAfterCancel() {
        Flowable<Integer> broken = Flowable.fromPublisher(subscriber -> subscriber.onSubscribe(new Subscription() {
            @Override
            public void request(long elements) {
                subscriber.onNext(1);
                throw new IllegalStateException("requested");
            }

            @Override
            public void cancel() {}
        }));
        broken.compose(RateLimit.with(UNLIMITED, minute.options.prefetch(2)))
                .take(1)
                .test()
                .assertResult(1);
        assertThat(plugins.takeErrors())
                .singleElement()
                .satisfies(error -> assertThat(error).hasMessage("requested"));
    }

    @Test
    @DisplayName("an error that nobody may catch goes through")
    void fatalErrors() {
        assertThatThrownBy(() -> Flowable.just(1)
                        .compose(RateLimit.weighted(UNLIMITED, item -> {
                            throw new LinkageError("fatal");
                        }))
                        .test())
                .isInstanceOf(LinkageError.class);
        Flowable<Integer> broken = Flowable.range(1, 3).hide().map(item -> {
            throw new LinkageError("fatal");
        });
        for (int prefetch : new int[] {1, 2}) {
            TestSubscriber<Integer> subscriber = new TestSubscriber<>();
            assertThatThrownBy(() -> broken.compose(RateLimit.with(UNLIMITED, minute.options.prefetch(prefetch)))
                            .subscribe(subscriber))
                    .isInstanceOf(LinkageError.class);
            subscriber.assertNoErrors().assertNotComplete();
        }
    }
}
