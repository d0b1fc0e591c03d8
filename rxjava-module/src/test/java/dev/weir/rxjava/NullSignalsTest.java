package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.MaybeObserver;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Observer;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleObserver;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sources that send null, against the rules: they hear of it themselves, and nothing else changes (§2.13). */
class NullSignalsTest {

    private static final RateLimiter UNLIMITED = RateLimiter.of(Limit.unlimited());

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final Minute minute = new Minute();

    @Test
    @DisplayName("an element that is null is thrown back at the source, and holds up none that follows")
    void nullElement() {
        Asked<Integer> flowable = new Asked<>();
        TestSubscriber<Integer> subscriber = flowable.compose(
                        RateLimit.with(minute.exhausted().limiter, minute.options))
                .test();
        assertThatNullPointerException().isThrownBy(() -> flowable.downstream().onNext(null));
        flowable.downstream().onNext(1);
        minute.pass();
        subscriber.assertValues(1);

        AtomicReference<Observer<? super Integer>> observable = new AtomicReference<>();
        TestObserver<Integer> observer = Observable.<Integer>unsafeCreate(observable::set)
                .compose(RateLimit.with(minute.limiter, minute.options))
                .test();
        observable.get().onSubscribe(Disposable.empty());
        assertThatNullPointerException().isThrownBy(() -> observable.get().onNext(null));
        observable.get().onNext(1);
        minute.pass();
        observer.assertValues(1);
    }

    @Test
    @DisplayName("observable: an onSubscribe with null does not count")
    void nullDisposableOfMany() {
        AtomicReference<Observer<? super Integer>> source = new AtomicReference<>();
        TestObserver<Integer> observer = Observable.<Integer>unsafeCreate(source::set)
                .compose(RateLimit.with(UNLIMITED))
                .test();
        assertThatNullPointerException()
                .isThrownBy(() -> source.get().onSubscribe(null))
                .withMessage("disposable");
        source.get().onSubscribe(Disposable.empty());
        source.get().onNext(1);
        observer.assertValues(1);
    }

    @Test
    @DisplayName("single and maybe, with costs: an onSubscribe with null does not count")
    void nullDisposableOfOne() {
        AtomicReference<SingleObserver<? super Integer>> single = new AtomicReference<>();
        TestObserver<Integer> one = Single.<Integer>unsafeCreate(single::set)
                .compose(RateLimit.weighted(UNLIMITED, item -> 1))
                .test();
        assertThatNullPointerException()
                .isThrownBy(() -> single.get().onSubscribe(null))
                .withMessage("disposable");
        single.get().onSubscribe(Disposable.empty());
        single.get().onSuccess(1);
        one.assertResult(1);

        AtomicReference<MaybeObserver<? super Integer>> maybe = new AtomicReference<>();
        TestObserver<Integer> oneOrNone = Maybe.<Integer>unsafeCreate(maybe::set)
                .compose(RateLimit.weighted(UNLIMITED, item -> 1))
                .test();
        assertThatNullPointerException()
                .isThrownBy(() -> maybe.get().onSubscribe(null))
                .withMessage("disposable");
        maybe.get().onSubscribe(Disposable.empty());
        maybe.get().onSuccess(1);
        oneOrNone.assertResult(1);
    }

    @Test
    @DisplayName("so it is with calls of many elements, which go on, and keep their leases")
    void nullFromCallOfMany() {
        RateLimiter room = RateLimiter.of(Limit.concurrency(2));
        Asked<Integer> flowable = new Asked<>();
        TestSubscriber<Integer> subscriber =
                flowable.compose(RateLimit.perSubscription(room)).test();
        assertThatNullPointerException()
                .isThrownBy(() -> flowable.downstream().onNext(null))
                .withMessage("element");
        assertThatNullPointerException()
                .isThrownBy(() -> flowable.downstream().onError(null))
                .withMessage("error");
        flowable.downstream().onNext(1);
        subscriber.assertValues(1).assertNotComplete().assertNoErrors();

        AtomicReference<Observer<? super Integer>> observable = new AtomicReference<>();
        TestObserver<Integer> observer = Observable.<Integer>unsafeCreate(observable::set)
                .compose(RateLimit.perSubscription(room))
                .test();
        observable.get().onSubscribe(Disposable.empty());
        assertThatNullPointerException()
                .isThrownBy(() -> observable.get().onNext(null))
                .withMessage("element");
        assertThatNullPointerException()
                .isThrownBy(() -> observable.get().onError(null))
                .withMessage("error");
        observable.get().onNext(1);
        observer.assertValues(1).assertNotComplete().assertNoErrors();

        assertThat(room.availablePermits()).isZero();
        flowable.downstream().onComplete();
        observable.get().onComplete();
        assertThat(room.availablePermits()).isEqualTo(2);
    }

    @Test
    @DisplayName("so it is with calls of one element")
    void nullFromCallOfOne() {
        RateLimiter room = RateLimiter.of(Limit.concurrency(2));
        AtomicReference<SingleObserver<? super Integer>> single = new AtomicReference<>();
        TestObserver<Integer> one = Single.<Integer>unsafeCreate(single::set)
                .compose(RateLimit.with(room))
                .test();
        single.get().onSubscribe(Disposable.empty());
        assertThatNullPointerException()
                .isThrownBy(() -> single.get().onSuccess(null))
                .withMessage("value");
        assertThatNullPointerException()
                .isThrownBy(() -> single.get().onError(null))
                .withMessage("error");

        AtomicReference<MaybeObserver<? super Integer>> maybe = new AtomicReference<>();
        TestObserver<Integer> oneOrNone = Maybe.<Integer>unsafeCreate(maybe::set)
                .compose(RateLimit.with(room))
                .test();
        maybe.get().onSubscribe(Disposable.empty());
        assertThatNullPointerException()
                .isThrownBy(() -> maybe.get().onSuccess(null))
                .withMessage("value");

        assertThat(room.availablePermits()).isZero();
        single.get().onSuccess(1);
        maybe.get().onSuccess(2);
        one.assertResult(1);
        oneOrNone.assertResult(2);
        assertThat(room.availablePermits()).isEqualTo(2);
    }
}
