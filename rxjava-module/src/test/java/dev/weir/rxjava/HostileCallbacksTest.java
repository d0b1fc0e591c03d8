package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import io.reactivex.rxjava3.core.FlowableTransformer;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Observer;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleObserver;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.functions.Function;
import io.reactivex.rxjava3.processors.PublishProcessor;
import io.reactivex.rxjava3.subjects.PublishSubject;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.reactivestreams.Subscription;

/** Functions and subscribers that call back into the stream they belong to. */
class HostileCallbacksTest {

    @RegisterExtension
    final Plugins plugins = Plugins.withRealTime();

    private final Minute minute = new Minute();
    private final PublishProcessor<Integer> source = PublishProcessor.create();
    private final List<Object> dropped = new ArrayList<>();
    private final StreamOptions options =
            StreamOptions.defaults().emitOn(Runnable::run).buffer(8).onDropped(dropped::add);

    /** Runs that for each element, from within onNext. */
    private static final class Calling extends TestSubscriber<Integer> {

        private final Runnable onNext;

        Calling(long demand, Runnable onNext) {
            super(demand);
            this.onNext = onNext;
        }

        @Override
        public void onNext(Integer element) {
            super.onNext(element);
            onNext.run();
        }
    }

    private TestSubscriber<Integer> subscribe(FlowableTransformer<Integer, Integer> limit) {
        return source.compose(limit).test();
    }

    @Test
    @DisplayName("a cost function that cancels its stream: the element is dropped, nothing is taken, nothing is left")
    void costCancels() {
        List<TestSubscriber<Integer>> own = new ArrayList<>();
        own.add(subscribe(RateLimit.weighted(
                minute.limiter,
                element -> {
                    own.get(0).cancel();
                    return 1;
                },
                options)));
        source.onNext(1);
        own.get(0).assertEmpty();
        assertThat(dropped).containsExactly(1);
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);
        assertThat(source.hasSubscribers()).isFalse();
    }

    @Test
    @DisplayName("a key function that cancels its stream: the same")
    void keyCancels() {
        PartitionedRateLimiter<Integer> limiters = PartitionedRateLimiter.of(Limit.of(1, Duration.ofMinutes(1)));
        List<TestSubscriber<Integer>> own = new ArrayList<>();
        own.add(subscribe(RateLimit.perKey(
                limiters,
                element -> {
                    own.get(0).cancel();
                    return element;
                },
                options)));
        source.onNext(1);
        own.get(0).assertEmpty();
        assertThat(dropped).containsExactly(1);
        assertThat(limiters.tryAcquire(1, 1).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a cost function that takes the permit itself: the element waits for the next, once")
    void costTakes() {
        TestSubscriber<Integer> subscriber = subscribe(RateLimit.weighted(
                minute.limiter, element -> minute.limiter.tryAcquire().permits(), options));
        source.onNext(1);
        subscriber.assertEmpty();
        minute.pass();
        subscriber.assertValues(1);
    }

    @Test
    @DisplayName("an onDropped that cancels, and one that sends more, hear of every element once")
    void onDroppedCallsBack() {
        minute.exhausted();
        List<TestSubscriber<Integer>> own = new ArrayList<>();
        StreamOptions calling = options.buffer(1).whenFull(WhenFull.REJECT_NEW).onDropped(element -> {
            dropped.add(element);
            if (dropped.size() == 1) {
                source.onNext(3);
            } else {
                own.get(0).cancel();
            }
        });
        own.add(subscribe(RateLimit.with(minute.limiter, calling)));
        source.onNext(1);
        source.onNext(2);
        assertThat(dropped).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(minute.limiter.statistics().queuedPermits()).isZero();
        assertThat(minute.time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("an onNext that sends more, asks for more and closes the limiter: in order, one at a time")
    void onNextCallsBack() {
        RateLimiter two = RateLimiter.builder(Limit.of(2, Duration.ofMinutes(1)))
                .timeSource(minute.time)
                .build();
        List<Calling> own = new ArrayList<>();
        List<Integer> depth = new ArrayList<>();
        own.add(new Calling(1, () -> {
            int nested = depth.size();
            depth.add(nested);
            if (own.get(0).values().size() == 1) {
                source.onNext(2);
                own.get(0).request(5);
                assertThat(own.get(0).values()).as("not from within").hasSize(1);
            } else {
                source.onNext(3);
                two.close();
            }
        }));
        source.compose(RateLimit.with(two, options)).subscribe(own.get(0));
        source.onNext(1);
        assertThat(own.get(0).values()).containsExactly(1, 2);
        assertThat(dropped).containsExactly(3);
        own.get(0).assertError(IllegalStateException.class);
        assertThat(minute.time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName(
            "a subscriber of a gated call that throws, against the rules: it counts as cancelled, the lease is closed")
    void throwingSubscriberOfACall() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        PublishSubject<Integer> subject = PublishSubject.create();
        LinkageError broken = new LinkageError("fatal, so that no operator catches it");
        Function<Integer, Integer> throwing = element -> {
            throw broken;
        };
        List<Supplier<Disposable>> calls = List.of(
                () -> source.compose(RateLimit.<Integer>perSubscription(one))
                        .map(throwing)
                        .subscribe(),
                () -> RateLimit.<Integer>withLeaseMany(one, 1, lease -> source)
                        .map(throwing)
                        .subscribe(),
                () -> subject.compose(RateLimit.<Integer>perSubscription(one))
                        .map(throwing)
                        .subscribe());
        for (Supplier<Disposable> call : calls) {
            assertThat(call.get().isDisposed()).isFalse();
            assertThat(one.availablePermits()).isZero();
            assertThatThrownBy(() -> {
                        source.onNext(1);
                        subject.onNext(1);
                    })
                    .isSameAs(broken);
            assertThat(one.availablePermits()).isOne();
            assertThat(source.hasSubscribers() || subject.hasObservers()).isFalse();
        }
    }

    @Test
    @DisplayName(
            "if the source of the call sends as it is subscribed, plugins and subscribers hear the same as without the limit")
    void throwingSubscriberOfACallAtOnce() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        RuntimeException broken = new IllegalStateException("on purpose");
        Flowable<Integer> flowable = Flowable.just(1, 2);
        Observable<Integer> observable = Observable.just(1, 2);
        Single<Integer> single = Single.just(1);
        List<Runnable> bare = List.of(
                () -> flowable.subscribe(new Throwing(broken)),
                () -> observable.subscribe(new Throwing(broken)),
                () -> single.subscribe(new Throwing(broken)));
        List<Runnable> gated = List.of(
                () -> flowable.compose(RateLimit.perSubscription(one)).subscribe(new Throwing(broken)),
                () -> observable.compose(RateLimit.perSubscription(one)).subscribe(new Throwing(broken)),
                () -> single.compose(RateLimit.perSubscription(one)).subscribe(new Throwing(broken)));
        for (int i = 0; i < bare.size(); i++) {
            assertThatThrownBy(bare.get(i)::run).hasRootCause(broken);
            List<Throwable> toldBare = plugins.takeErrors();
            assertThatThrownBy(gated.get(i)::run).hasRootCause(broken);
            assertThat(plugins.takeErrors()).isEqualTo(toldBare);
            assertThat(one.availablePermits()).isOne();
        }
    }

    /** A subscriber, or observer, that throws at the first signal that it hears. */
    private record Throwing(RuntimeException broken)
            implements FlowableSubscriber<Integer>, Observer<Integer>, SingleObserver<Integer> {

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onSubscribe(Disposable disposable) {}

        @Override
        public void onNext(Integer element) {
            throw broken;
        }

        @Override
        public void onSuccess(Integer element) {
            throw broken;
        }

        @Override
        public void onError(Throwable error) {
            throw new AssertionError(error);
        }

        @Override
        public void onComplete() {
            throw new AssertionError("completed");
        }
    }

    @Test
    @DisplayName("an onNext that cancels while more is held: nothing follows, and the rest is dropped")
    void onNextCancels() {
        List<Calling> own = new ArrayList<>();
        own.add(new Calling(Long.MAX_VALUE, () -> own.get(0).cancel()));
        minute.exhausted();
        source.compose(RateLimit.with(minute.limiter, options)).subscribe(own.get(0));
        source.onNext(1);
        source.onNext(2);
        minute.pass();
        own.get(0).assertValues(1);
        assertThat(dropped).containsExactly(2);
        assertThat(minute.limiter.statistics().queuedPermits()).isZero();
    }
}
