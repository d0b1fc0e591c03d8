package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.observers.BaseTestConsumer;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Permits that are refused, and limiters that are closed. */
class RefusalTest {

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final Minute minute = new Minute();

    @Test
    @DisplayName("a wait that cannot fit is refused at once, says when to retry, and takes nothing")
    void maxWait() {
        TestSubscriber<Integer> subscriber = Flowable.range(1, 3)
                .compose(RateLimit.with(minute.limiter, minute.options.maxWait(Duration.ofSeconds(59))))
                .test();
        subscriber.assertValues(1).assertError(error -> {
            RateLimitExceededException refusal = (RateLimitExceededException) error;
            return refusal.lease().reason().orElseThrow() == RefusalReason.MAX_WAIT
                    && refusal.lease().retryAfter().orElseThrow().equals(Duration.ofMinutes(1))
                    && refusal.limiterName().equals("minute");
        });
        assertThat(minute.dropped).containsExactly(2);
        minute.pass();
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a wait that is as long as the bound fits")
    void maxWaitFits() {
        TestSubscriber<Integer> subscriber = Flowable.range(1, 2)
                .compose(RateLimit.with(minute.limiter, minute.options.maxWait(Duration.ofMinutes(1))))
                .test();
        minute.pass();
        subscriber.assertResult(1, 2);
    }

    @Test
    @DisplayName("enforced and not delayed, what is over the limit is dropped and the stream goes on")
    void enforced() {
        Asked<Integer> source = new Asked<>();
        TestSubscriber<Integer> subscriber = source.compose(RateLimit.with(
                        minute.limiter, minute.options.maxWait(Duration.ZERO).onRefused(OnRefused.DROP)))
                .test();
        source.send(1, 2, 3);
        minute.pass();
        source.send(4, 5);
        source.complete();
        subscriber.assertResult(1, 4);
        assertThat(minute.dropped).containsExactly(2, 3, 5);
        assertThat(source.requests()).hasSizeGreaterThanOrEqualTo(5);
    }

    @Test
    @DisplayName("calls: a refusal fails them, source unsubscribed")
    void callsFail() {
        RateLimit<Object> limit = RateLimit.with(minute.exhausted().limiter, minute.options.maxWait(Duration.ZERO));
        RateLimit<Object> calls = RateLimit.perSubscription(minute.limiter, minute.options.maxWait(Duration.ZERO));
        for (BaseTestConsumer<?, ?> consumer : List.of(
                Single.fromCallable(RefusalTest::neverCalled).compose(limit).test(),
                Maybe.fromCallable(RefusalTest::neverCalled).compose(limit).test(),
                Completable.fromAction(RefusalTest::neverCalled).compose(limit).test(),
                Flowable.fromCallable(RefusalTest::neverCalled).compose(calls).test(),
                Observable.fromCallable(RefusalTest::neverCalled).compose(calls).test())) {
            consumer.assertFailure(RateLimitExceededException.class);
        }
    }

    @Test
    @DisplayName("calls that may be empty end empty when a refusal is to drop them; a single fails")
    void callsDrop() {
        minute.exhausted();
        RateLimit<Object> limit = RateLimit.with(
                minute.limiter, minute.options.maxWait(Duration.ZERO).onRefused(OnRefused.DROP));
        RateLimit<Object> calls = RateLimit.perSubscription(
                minute.limiter, minute.options.maxWait(Duration.ZERO).onRefused(OnRefused.DROP));
        for (BaseTestConsumer<?, ?> consumer : List.of(
                Maybe.fromCallable(RefusalTest::neverCalled).compose(limit).test(),
                Completable.fromAction(RefusalTest::neverCalled).compose(limit).test(),
                Flowable.fromCallable(RefusalTest::neverCalled).compose(calls).test(),
                Observable.fromCallable(RefusalTest::neverCalled).compose(calls).test())) {
            consumer.assertResult();
        }
        Single.fromCallable(RefusalTest::neverCalled)
                .compose(limit)
                .test()
                .assertFailure(RateLimitExceededException.class);
    }

    @Test
    @DisplayName("the element of a single or maybe that has a cost: refused, it fails the single and empties the maybe")
    void weightedSingleAndMaybe() {
        RateLimit<Integer> limit = RateLimit.weighted(
                minute.exhausted().limiter,
                item -> item,
                minute.options.maxWait(Duration.ZERO).onRefused(OnRefused.DROP));
        Single.just(1).compose(limit).test().assertFailure(RateLimitExceededException.class);
        Maybe.just(1).compose(limit).test().assertResult();
        assertThat(minute.dropped).containsExactly(1, 1);
        Maybe.<Integer>empty().compose(limit).test().assertResult();
        Single.just(0).compose(limit).test().assertResult(0);
    }

    @Test
    @DisplayName("the element of a single that has a cost waits for that many permits, after the call")
    void weightedSingleWaits() {
        RateLimiter ten = RateLimiter.builder(Limit.of(10, Duration.ofMinutes(1)))
                .timeSource(minute.time)
                .build();
        ten.tryAcquire(5);
        int[] calls = {0};
        var waiting = Single.fromCallable(() -> ++calls[0])
                .compose(RateLimit.weighted(ten, item -> 6, minute.options))
                .test();
        assertThat(calls[0]).isEqualTo(1);
        waiting.assertEmpty();
        minute.pass();
        waiting.assertResult(1);
        assertThat(ten.availablePermits()).isEqualTo(4);
    }

    @Test
    @DisplayName("a limiter that closes fails who waits; one that is closed fails who comes")
    void closed() {
        minute.exhausted();
        RateLimit<Object> limit = RateLimit.with(minute.limiter, minute.options.onRefused(OnRefused.DROP));
        RateLimit<Object> calls = RateLimit.perSubscription(minute.limiter, minute.options.onRefused(OnRefused.DROP));
        List<BaseTestConsumer<?, ?>> waiting = subscribeAll(limit, calls);
        minute.limiter.close();
        waiting.forEach(consumer -> consumer.assertError(
                error -> ((RateLimitExceededException) error).lease().reason().orElseThrow() == RefusalReason.CLOSED));
        subscribeAll(limit, calls).forEach(consumer -> consumer.assertFailure(IllegalStateException.class));
    }

    private static List<BaseTestConsumer<?, ?>> subscribeAll(RateLimit<Object> limit, RateLimit<Object> calls) {
        return List.of(
                Flowable.<Object>just(1).compose(limit).test(),
                Flowable.<Object>just(1).hide().compose(limit).test(),
                Observable.<Object>just(1).compose(limit).test(),
                Single.<Object>just(1).compose(limit).test(),
                Maybe.<Object>just(1).compose(limit).test(),
                Completable.complete().compose(limit).test(),
                Flowable.<Object>just(1).compose(calls).test(),
                Observable.<Object>just(1).compose(calls).test());
    }

    private static Object neverCalled() {
        throw new AssertionError("called without a permit");
    }
}
