package dev.weir.rxjava;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.exceptions.MissingBackpressureException;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.subjects.PublishSubject;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sources that do not wait to be asked. */
class BufferTest {

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final Minute minute = new Minute();
    private final PublishSubject<Integer> source = PublishSubject.create();

    private TestObserver<Integer> observe(StreamOptions options) {
        return source.compose(RateLimit.with(minute.exhausted().limiter, options))
                .test();
    }

    private void send(int from, int to) {
        for (int item = from; item <= to; item++) {
            source.onNext(item);
        }
    }

    @Test
    @DisplayName("an observable has a bound of 1,024 unless another is given, and one more fails it after what is held")
    void observableIsBounded() {
        TestObserver<Integer> observer = observe(minute.options);
        send(1, 1024);
        assertThat(source.hasObservers()).isTrue();
        send(1025, 1025);
        assertThat(source.hasObservers()).as("cancelled at once").isFalse();
        assertThat(minute.dropped).containsExactly(1025);
        observer.assertEmpty();
        for (int wait = 0; wait < 1024; wait++) {
            minute.pass();
        }
        observer.assertValueCount(1024).assertError(MissingBackpressureException.class);
    }

    @Test
    @DisplayName("an observable without a buffer option does with what is too much as told")
    void observableWhenFull() {
        TestObserver<Integer> observer = observe(minute.options.whenFull(WhenFull.REJECT_NEW));
        send(1, 1025);
        assertThat(source.hasObservers()).isTrue();
        assertThat(minute.dropped).containsExactly(1025);
        observer.assertEmpty();
    }

    @Test
    @DisplayName("a buffer holds that many in all, the one whose permit is awaited included")
    void bufferHoldsThatMany() {
        TestObserver<Integer> observer = observe(minute.options.buffer(2));
        send(1, 3);
        assertThat(minute.dropped).containsExactly(3);
        minute.pass();
        minute.pass();
        observer.assertFailure(MissingBackpressureException.class, 1, 2)
                .assertError(error -> error.getMessage().contains("buffer of 2")
                        && error.getMessage().contains("backpressure"));
    }

    @Test
    @DisplayName("a flowable with a buffer asks for everything at once")
    void flowableWithBuffer() {
        Asked<Integer> asked = new Asked<>();
        TestSubscriber<Integer> subscriber = asked.compose(
                        RateLimit.with(minute.exhausted().limiter, minute.options.buffer(2)))
                .test(0);
        assertThat(asked.requests()).containsExactly(Long.MAX_VALUE);
        asked.send(1, 2, 3);
        subscriber.assertEmpty();
        assertThat(asked.isCancelled()).isTrue();
        subscriber.request(5);
        minute.pass();
        minute.pass();
        subscriber.assertFailure(MissingBackpressureException.class, 1, 2);
    }

    @Test
    @DisplayName("REJECT_NEW drops the newcomer")
    void rejectNew() {
        TestObserver<Integer> observer = observe(minute.options.buffer(2).whenFull(WhenFull.REJECT_NEW));
        send(1, 4);
        assertThat(minute.dropped).containsExactly(3, 4);
        minute.pass();
        send(5, 5);
        source.onComplete();
        minute.pass();
        minute.pass();
        observer.assertResult(1, 2, 5);
    }

    @Test
    @DisplayName("EVICT_OLDEST drops the oldest, also the one whose permit is awaited; the permit goes to the next")
    void evictOldest() {
        TestObserver<Integer> observer = observe(minute.options.buffer(2).whenFull(WhenFull.EVICT_OLDEST));
        send(1, 5);
        assertThat(minute.dropped).containsExactly(1, 2, 3);
        source.onComplete();
        minute.pass();
        minute.pass();
        observer.assertResult(4, 5);
    }

    @Test
    @DisplayName("newest first: which goes is chosen when the permit is there, not on arrival")
    void newestFirst() {
        TestObserver<Integer> observer = observe(minute.options.buffer(3).order(QueueOrder.NEWEST_FIRST));
        send(1, 3);
        minute.pass();
        observer.assertValues(3);
        send(4, 4);
        minute.pass();
        observer.assertValues(3, 4);
        source.onComplete();
        minute.pass();
        minute.pass();
        observer.assertResult(3, 4, 2, 1);
    }

    @Test
    @DisplayName("newest first with eviction and room for one is the latest state")
    void latestState() {
        TestObserver<Integer> observer =
                observe(minute.options.buffer(1).order(QueueOrder.NEWEST_FIRST).whenFull(WhenFull.EVICT_OLDEST));
        send(1, 9);
        minute.pass();
        observer.assertValues(9);
        assertThat(minute.dropped).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    }

    @Test
    @DisplayName("newest first, priced: what is taken is the price of the element that leaves")
    void newestFirstPriced() {
        RateLimiter ten = RateLimiter.builder(Limit.of(10, ofSeconds(60)))
                .timeSource(minute.time)
                .build();
        ten.tryAcquire(10);
        TestObserver<Integer> observer = source.compose(RateLimit.weighted(
                        ten, item -> item, minute.options.buffer(5).order(QueueOrder.NEWEST_FIRST)))
                .test();
        source.onNext(2);
        source.onNext(7);
        source.onNext(3);
        minute.pass();
        observer.assertValues(3, 7);
        assertThat(ten.availablePermits()).isZero();
        minute.pass();
        observer.assertValues(3, 7, 2);
        assertThat(ten.availablePermits()).isEqualTo(8);
    }

    @Test
    @DisplayName("an own limiter and a source that does not wait: the burst goes at the pace of the limit")
    void ownLimiter() {
        TestObserver<Integer> observer = Observable.range(0, 1000)
                .compose(RateLimit.of(100, ofSeconds(1)))
                .test();
        observer.assertValueCount(100);
        plugins.scheduler().advanceTimeBy(9, SECONDS);
        observer.assertValueCount(1000).assertComplete();
    }
}
