package dev.weir.rxjava;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.FlowableTransformer;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.exceptions.MissingBackpressureException;
import io.reactivex.rxjava3.exceptions.QueueOverflowException;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.processors.PublishProcessor;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.subjects.PublishSubject;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How streams of elements end. */
class EndsTest {

    private final IOException forced = new IOException("forced");

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final Minute minute = new Minute();

    @Test
    @DisplayName("a stream completes right after its last element, without permit or demand")
    void completes() {
        TestSubscriber<Integer> last = Flowable.range(1, 2)
                .compose(RateLimit.with(minute.limiter, minute.options))
                .test(2);
        last.assertValues(1).assertNotComplete();
        minute.pass();
        last.assertResult(1, 2);
        TestSubscriber<Object> empty = Flowable.empty()
                .compose(RateLimit.with(minute.limiter, minute.options))
                .test(0);
        empty.assertResult();
        TestSubscriber<Object> unfused = Flowable.empty()
                .hide()
                .compose(RateLimit.with(minute.limiter, minute.options))
                .test(0);
        unfused.assertResult();
    }

    @Test
    @DisplayName("an error comes after what is held, and needs neither permit nor demand")
    void errorsComeInOrder() {
        PublishSubject<Integer> source = PublishSubject.create();
        TestObserver<Integer> observer =
                source.compose(RateLimit.with(minute.limiter, minute.options)).test();
        source.onNext(1);
        source.onNext(2);
        source.onError(forced);
        observer.assertValues(1).assertNoErrors();
        minute.pass();
        observer.assertFailure(IOException.class, 1, 2);
        assertThat(minute.dropped).isEmpty();
        Flowable.error(forced)
                .compose(RateLimit.with(minute.limiter, minute.options))
                .test(0)
                .assertFailure(IOException.class);
    }

    @Test
    @DisplayName("an error that is held behind elements when downstream cancels is told to nobody, as with observeOn")
    void heldErrorAtCancel() {
        List<FlowableTransformer<Integer, Integer>> operators = List.of(
                RateLimit.with(minute.exhausted().limiter, minute.options),
                upstream -> upstream.observeOn(Schedulers.trampoline(), true));
        for (FlowableTransformer<Integer, Integer> operator : operators) {
            Asked<Integer> source = new Asked<>();
            TestSubscriber<Integer> subscriber = source.compose(operator).test(0);
            source.send(1);
            source.fail(forced);
            subscriber.cancel();
            subscriber.assertEmpty();
            assertThat(plugins.takeErrors()).isEmpty();
        }
    }

    @Test
    @DisplayName("disposed by onDropped as it fails: the error goes to the plugins, and the other elements are dropped")
    void disposedAsItFails() {
        TestObserver<Integer> observer = new TestObserver<>();
        List<Object> dropped = new ArrayList<>();
        StreamOptions disposing = minute.options.errorsCutAhead().onDropped(element -> {
            dropped.add(element);
            observer.dispose();
        });
        Observable.just(1, 2)
                .concatWith(Observable.error(forced))
                .compose(RateLimit.with(minute.exhausted().limiter, disposing))
                .subscribe(observer);
        observer.assertEmpty();
        assertThat(dropped).containsExactly(1, 2);
        assertThat(plugins.takeErrors())
                .singleElement()
                .satisfies(late -> assertThat(late).hasCause(forced));
    }

    @Test
    @DisplayName("an error that cuts ahead drops what is held and withdraws its request")
    void errorsCutAhead() {
        PublishSubject<Integer> source = PublishSubject.create();
        TestObserver<Integer> observer = source.compose(RateLimit.with(minute.limiter, minute.options.errorsCutAhead()))
                .test();
        source.onNext(1);
        source.onNext(2);
        source.onNext(3);
        source.onError(forced);
        observer.assertFailure(IOException.class, 1);
        assertThat(minute.dropped).containsExactly(2, 3);
        assertThat(minute.limiter.statistics().queuedPermits()).isZero();
        assertThat(minute.time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("so does the error of a full buffer, of a source that overruns, and of a cost or key function")
    void otherErrorsCutAhead() {
        PartitionedRateLimiter<Integer> limiters = PartitionedRateLimiter.<Integer>builder(
                        key -> Limit.of(1, Duration.ofMinutes(1)))
                .timeSource(minute.time)
                .build();
        limiters.tryAcquire(1, 1);
        StreamOptions ahead = minute.exhausted().options.errorsCutAhead();
        assertCutsAhead(RateLimit.with(minute.limiter, ahead.buffer(2)), MissingBackpressureException.class);
        assertCutsAhead(RateLimit.with(minute.limiter, ahead.prefetch(2)), QueueOverflowException.class);
        Map<Integer, Integer> notOfThree = Map.of(1, 1, 2, 1);
        assertCutsAhead(
                RateLimit.weighted(minute.limiter, notOfThree::get, ahead.buffer(5)), NullPointerException.class);
        assertCutsAhead(RateLimit.perKey(limiters, notOfThree::get, ahead), NullPointerException.class);
    }

    private void assertCutsAhead(RateLimit<Integer> limit, Class<? extends Throwable> error) {
        minute.dropped.clear();
        Asked<Integer> source = new Asked<>();
        TestSubscriber<Integer> subscriber = source.compose(limit).test();
        source.send(1, 2, 3);
        subscriber.assertFailure(error);
        assertThat(source.isCancelled()).isTrue();
        assertThat(minute.dropped).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(minute.limiter.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("an error of the source that a refusal overtakes is heard by the plugins")
    void overtakenError() {
        PublishSubject<Integer> source = PublishSubject.create();
        TestObserver<Integer> observer = source.compose(RateLimit.with(minute.exhausted().limiter, minute.options))
                .test();
        source.onNext(1);
        source.onError(forced);
        minute.limiter.close();
        observer.assertFailure(RateLimitExceededException.class);
        assertThat(plugins.takeErrors())
                .singleElement()
                .satisfies(error -> assertThat(error).hasCause(forced));
    }

    @Test
    @DisplayName(
            "cancelled while it waits: the element is dropped and the request withdrawn at once, without any task to"
                    + " run")
    void cancelWhileWaiting() {
        Asked<Integer> source = new Asked<>();
        TestSubscriber<Integer> subscriber = source.compose(
                        RateLimit.with(minute.exhausted().limiter, minute.options.prefetch(3)))
                .test();
        source.send(1, 2, 3);
        subscriber.cancel();
        assertThat(source.isCancelled()).isTrue();
        assertThat(minute.dropped).containsExactly(1, 2, 3);
        assertThat(minute.limiter.statistics().queuedPermits()).isZero();
        assertThat(minute.time.pendingTasks()).isZero();
        minute.pass();
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);
        subscriber.assertEmpty();
    }

    @Test
    @DisplayName("cancelled after the grant, before the element could go on: the permit goes back")
    void cancelAfterTheGrant() {
        List<Runnable> tasks = new ArrayList<>();
        Asked<Integer> source = new Asked<>();
        TestSubscriber<Integer> subscriber = source.compose(
                        RateLimit.with(minute.exhausted().limiter, minute.options.emitOn(tasks::add)))
                .test();
        source.send(1);
        minute.pass();
        assertThat(minute.limiter.availablePermits()).isZero();
        subscriber.cancel();
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);
        assertThat(minute.dropped).containsExactly(1);
        tasks.forEach(Runnable::run);
        subscriber.assertEmpty();
    }

    @Test
    @DisplayName("subscribing and cancelling two hundred times leaves no wait for the next")
    void cancelStorm() {
        for (int round = 0; round < 200; round++) {
            Flowable.range(0, 2)
                    .compose(RateLimit.with(minute.limiter, minute.options))
                    .test()
                    .cancel();
        }
        minute.pass();
        assertThat(minute.limiter.tryAcquire().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("cancelled from within onNext: nothing follows")
    void cancelFromWithin() {
        RateLimiter unlimited = RateLimiter.of(Limit.unlimited());
        Flowable.range(0, 100).compose(RateLimit.with(unlimited)).take(3).test().assertResult(0, 1, 2);
        Flowable.range(0, 100)
                .hide()
                .compose(RateLimit.with(unlimited, minute.options.prefetch(8)))
                .take(3)
                .test()
                .assertResult(0, 1, 2);
        assertThat(minute.dropped).as("what the source has not sent yet").isEmpty();
        Observable.range(0, 100)
                .compose(RateLimit.with(unlimited))
                .take(3)
                .test()
                .assertResult(0, 1, 2);
    }

    @Test
    @DisplayName("cancelled from within onSubscribe: the source is asked for nothing, and the limiter neither")
    void cancelWithinOnSubscribe() {
        Asked<Integer> source = new Asked<>();
        for (StreamOptions options : List.of(minute.options, minute.options.prefetch(5), minute.options.buffer(5))) {
            RateLimit<Integer> limit = RateLimit.with(minute.limiter, options);
            cancelled().accept(source.compose(limit));
            cancelled().accept(Flowable.fromIterable(List.of(1, 2)).compose(limit));
            TestObserver<Integer> observer = new TestObserver<>();
            observer.dispose();
            Observable.just(1).compose(limit).subscribe(observer);
            observer.assertEmpty();
        }
        assertThat(source.isCancelled()).isTrue();
        assertThat(source.requests()).isEmpty();
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);
    }

    private static Consumer<Flowable<Integer>> cancelled() {
        TestSubscriber<Integer> subscriber = new TestSubscriber<>();
        subscriber.cancel();
        return flowable -> {
            flowable.subscribe(subscriber);
            subscriber.assertEmpty();
        };
    }

    @Test
    @DisplayName("timeout bounds the wait, and switchMap leaves nothing of what it has left")
    void timeoutAndSwitchMap() {
        minute.exhausted();
        TestSubscriber<Integer> timed = Flowable.just(1)
                .compose(RateLimit.with(minute.limiter, minute.options))
                .timeout(100, TimeUnit.MILLISECONDS)
                .test();
        plugins.scheduler().advanceTimeBy(100, TimeUnit.MILLISECONDS);
        timed.assertFailure(TimeoutException.class);
        PublishProcessor<Integer> switches = PublishProcessor.create();
        TestSubscriber<Integer> switched = switches.switchMap(
                        item -> Flowable.just(item).compose(RateLimit.with(minute.limiter, minute.options)))
                .test();
        switches.onNext(1);
        switches.onNext(2);
        switches.onNext(3);
        assertThat(minute.limiter.statistics().queuedPermits()).isEqualTo(1);
        minute.pass();
        switched.assertValues(3);
    }

    @Test
    @DisplayName("onSubscribe comes at once, however long the wait")
    void onSubscribeAtOnce() {
        TestSubscriber<Integer> subscriber = new TestSubscriber<>();
        Flowable.just(1)
                .compose(RateLimit.with(minute.exhausted().limiter, minute.options))
                .subscribe(subscriber);
        assertThat(subscriber.hasSubscription()).isTrue();
    }

    @Test
    @DisplayName("retry after the limit pays for each element again")
    void retryPaysAgain() {
        int[] tries = {0};
        TestSubscriber<Integer> subscriber = Flowable.defer(() -> Flowable.just(++tries[0]))
                .compose(RateLimit.with(minute.limiter, minute.options))
                .map(item -> {
                    if (item < 3) {
                        throw forced;
                    }
                    return item;
                })
                .retry()
                .test();
        minute.time.advanceBy(Duration.ofMinutes(1));
        subscriber.assertEmpty();
        minute.time.advanceBy(Duration.ofMinutes(1));
        subscriber.assertResult(3);
    }

    @Test
    @DisplayName("repeat starts over, with a limiter of its own each time")
    void repeat() {
        TestSubscriber<Integer> subscriber = Flowable.just(1)
                .compose(RateLimit.of(1, ofSeconds(60)))
                .repeat(3)
                .test();
        subscriber.assertResult(1, 1, 1);
    }

    @Test
    @DisplayName("an onDropped that throws ends the stream with that; on cancel the plugins hear it")
    void onDroppedThrows() {
        IllegalStateException thrown = new IllegalStateException("from onDropped");
        assertThat(endsAsTwoAreSent(minute.options, thrown))
                .as("thrown for the second element that is dropped")
                .contains(thrown);

        Asked<Integer> cancelled = new Asked<>();
        TestSubscriber<Integer> other = cancelled
                .compose(RateLimit.with(minute.exhausted().limiter, minute.options.onDropped(item -> {
                    throw thrown;
                })))
                .test();
        cancelled.send(1);
        other.cancel();
        other.assertEmpty();
        assertThat(plugins.takeErrors()).hasSize(1);
    }

    @Test
    @DisplayName("an onDropped that throws as an element makes room for another ends the stream at once")
    void onDroppedThrowsAsOneMakesRoom() {
        IllegalStateException thrown = new IllegalStateException("from onDropped");
        assertThat(endsAsTwoAreSent(minute.options.buffer(1).whenFull(WhenFull.EVICT_OLDEST), thrown))
                .as("thrown for the element that made no one room")
                .containsExactly(thrown);
    }

    /** Has onDropped throw, and checks that the stream ends with that at once. Returns what the plugins hear. */
    private List<Throwable> endsAsTwoAreSent(StreamOptions options, RuntimeException thrown) {
        Asked<Integer> source = new Asked<>();
        TestSubscriber<Integer> subscriber = source.compose(
                        RateLimit.with(minute.exhausted().limiter, options.onDropped(item -> {
                            throw thrown;
                        })))
                .test();
        source.send(1);
        source.send(2);
        assertThat(source.isCancelled()).isTrue();
        subscriber.assertFailure(IllegalStateException.class);
        return plugins.takeErrors();
    }

    @Test
    @DisplayName("a cancelled stream is not retained by the limiter it waited for")
    void nothingIsRetained() {
        minute.exhausted();
        WeakReference<Object> element = waitAndCancel();
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> {
            System.gc();
            return element.get() == null;
        });
    }

    private WeakReference<Object> waitAndCancel() {
        Object element = new Object();
        TestSubscriber<Object> subscriber = Flowable.just(element)
                .compose(RateLimit.with(minute.limiter, StreamOptions.defaults().emitOn(Runnable::run)))
                .test();
        subscriber.cancel();
        return new WeakReference<>(element);
    }
}
