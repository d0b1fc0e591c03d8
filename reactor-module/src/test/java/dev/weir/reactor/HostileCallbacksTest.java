package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.test.publisher.TestPublisher;

/** Functions and subscribers that call back into the stream they belong to. */
class HostileCallbacksTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter = Ledger.limiter(time, 1, MINUTE);
    private final TestPublisher<Integer> source = TestPublisher.create();
    private final List<Integer> received = new ArrayList<>();
    private final List<Object> dropped = new ArrayList<>();
    private final List<Disposable> own = new ArrayList<>();
    private final StreamOptions options =
            StreamOptions.defaults().emitOn(Runnable::run).buffer(8).onDropped(dropped::add);

    @AfterEach
    void unhook() {
        Hooks.resetOnOperatorError();
        Hooks.resetOnErrorDropped();
    }

    private void subscribe(RateLimit<Integer> limit) {
        own.add(source.flux().transform(limit).subscribe(received::add));
    }

    private void cancel() {
        own.get(0).dispose();
    }

    /** Subscribes with somebody who does that for each element, from within onNext. */
    private void subscribe(RateLimiter limiter, long demand, Consumer<BaseSubscriber<Integer>> onNext) {
        BaseSubscriber<Integer> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                request(demand);
            }

            @Override
            protected void hookOnNext(Integer element) {
                received.add(element);
                onNext.accept(this);
            }

            @Override
            protected void hookOnError(Throwable error) {
                received.add(-1);
            }
        };
        source.flux().transform(RateLimit.with(limiter, options)).subscribe(subscriber);
    }

    @Test
    @DisplayName("a cost function that cancels its stream: the element is dropped, nothing is taken, nothing is left")
    void costCancels() {
        subscribe(RateLimit.weighted(
                limiter,
                element -> {
                    cancel();
                    return 1;
                },
                options));
        source.next(1);
        assertThat(received).isEmpty();
        assertThat(dropped).containsExactly(1);
        assertThat(limiter.availablePermits()).isEqualTo(1);
        source.assertCancelled();
    }

    @Test
    @DisplayName("a subscriber that throws, against the rules: the lease of its element is closed all the same")
    void throwingSubscriber() {
        RateLimiter concurrency = RateLimiter.of(Limit.concurrency(2));
        IllegalStateException broken = new IllegalStateException("on purpose");
        source.flux()
                .transform(RateLimit.with(concurrency))
                .doOnNext(element -> assertThat(concurrency.availablePermits()).isEqualTo(1))
                .subscribe(new ThrowingSubscriber(broken));
        assertThatThrownBy(() -> source.next(1)).isSameAs(broken);
        assertThat(concurrency.availablePermits()).isEqualTo(2);
    }

    @Test
    @DisplayName("the same behind a gated call: it counts as cancelled, and its lease is closed")
    void throwingSubscriberOfACall() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        for (Flux<Integer> call : List.of(
                source.flux().transform(RateLimit.perSubscription(one)),
                RateLimit.withLeaseMany(one, 1, lease -> source.flux()))) {
            for (Throwable broken : List.of(new IllegalStateException("on purpose"), new LinkageError("fatal"))) {
                call.subscribe(new ThrowingSubscriber(broken));
                assertThat(one.availablePermits()).isZero();
                assertThatThrownBy(() -> source.next(1)).isSameAs(broken);
                assertThat(one.availablePermits()).isOne();
                source.assertNoSubscribers();
            }
        }
    }

    @Test
    @DisplayName(
            "if the source of the call sends as it is subscribed, whoever subscribes hears of that, and no hook does")
    void throwingSubscriberOfACallAtOnce() {
        List<Throwable> told = new ArrayList<>();
        Hooks.onOperatorError((thrown, element) -> {
            told.add(thrown);
            return thrown;
        });
        Hooks.onErrorDropped(told::add);
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        RuntimeException broken = new IllegalStateException("on purpose");
        for (Flux<Integer> bare : List.of(Flux.just(1, 2), Mono.just(1).flux())) {
            for (Flux<Integer> flux : List.of(bare, bare.transform(RateLimit.perSubscription(one)))) {
                assertThatThrownBy(() -> flux.subscribe(new ThrowingSubscriber(broken)))
                        .isSameAs(broken);
                assertThat(one.availablePermits()).isOne();
            }
        }
        assertThat(told).isEmpty();
    }

    @Test
    @DisplayName("a key function that cancels its stream: the same")
    void keyCancels() {
        PartitionedRateLimiter<Integer> limiters = PartitionedRateLimiter.of(Limit.of(1, MINUTE));
        subscribe(RateLimit.perKey(
                limiters,
                element -> {
                    cancel();
                    return element;
                },
                options));
        source.next(1);
        assertThat(received).isEmpty();
        assertThat(dropped).containsExactly(1);
        assertThat(limiters.tryAcquire(1, 1).isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a cost function that takes the permit itself: the element waits for the next, once")
    void costTakes() {
        subscribe(RateLimit.weighted(limiter, element -> limiter.tryAcquire().permits(), options));
        source.next(1);
        assertThat(received).isEmpty();
        time.advanceBy(MINUTE);
        assertThat(received).containsExactly(1);
    }

    @Test
    @DisplayName("an onDropped that cancels, and one that sends more, hear of every element once")
    void onDroppedCallsBack() {
        limiter.tryAcquire();
        StreamOptions calling = options.buffer(1).whenFull(WhenFull.REJECT_NEW).onDropped(element -> {
            dropped.add(element);
            if (dropped.size() == 1) {
                source.next(3);
            } else {
                cancel();
            }
        });
        subscribe(RateLimit.with(limiter, calling));
        source.next(1);
        source.next(2);
        assertThat(dropped).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(limiter.statistics().queuedPermits()).isZero();
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("an onNext that sends more, asks for more and closes the limiter: in order, one at a time")
    void onNextCallsBack() {
        RateLimiter two = Ledger.limiter(time, 2, MINUTE);
        subscribe(two, 1, subscriber -> {
            if (received.size() == 1) {
                source.next(2);
                subscriber.request(5);
                assertThat(received).as("not from within").containsExactly(1);
            } else {
                source.next(3);
                two.close();
            }
        });
        source.next(1);
        assertThat(received).as("and then the error").containsExactly(1, 2, -1);
        assertThat(dropped).containsExactly(3);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("an onNext that cancels while more is held: nothing follows, and the rest is dropped")
    void onNextCancels() {
        limiter.tryAcquire();
        subscribe(limiter, Long.MAX_VALUE, BaseSubscriber::cancel);
        source.next(1);
        source.next(2);
        time.advanceBy(MINUTE);
        assertThat(received).containsExactly(1);
        assertThat(dropped).containsExactly(2);
        assertThat(limiter.statistics().queuedPermits()).isZero();
    }

    private record ThrowingSubscriber(Throwable broken) implements CoreSubscriber<Integer> {

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Integer element) {
            throw Exceptions.propagate(broken);
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
}
