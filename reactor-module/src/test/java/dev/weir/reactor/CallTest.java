package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.Lease;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Gated subscriptions: of a mono by whatever name, of anything by {@code perSubscription}. */
class CallTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StreamOptions HERE = StreamOptions.defaults().emitOn(Runnable::run);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter = Ledger.exhausted(time, 1, SECOND);
    private final AtomicInteger calls = new AtomicInteger();
    private final Mono<Integer> call = Mono.fromCallable(calls::incrementAndGet);

    @Test
    @DisplayName("a future in hand has been begun, whatever the limit; one from a supplier begins with its permit")
    void futures() {
        Mono<Integer> begun = Mono.fromFuture(call.toFuture()).transform(RateLimit.with(limiter, HERE));
        assertThat(calls).hasValue(1);
        Mono<Integer> waits = Mono.fromFuture(call::toFuture).transform(RateLimit.with(limiter, HERE));
        Disposable waiting = waits.mergeWith(begun).subscribe();
        assertThat(calls).hasValue(1);
        time.advanceBy(SECOND.multipliedBy(2));
        assertThat(calls).hasValue(2);
        assertThat(waiting.isDisposed()).isTrue();
    }

    @Test
    @DisplayName(
            "cancelled by another thread while its source is at work as it is subscribed, the lease is out until that is over")
    void cancelledWhileItIsSubscribed() throws InterruptedException {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        Ledger<Integer> ledger = Ledger.unbounded();
        Mono<Integer> blocking = Mono.fromCallable(() -> {
            begun.countDown();
            cancelled.await();
            return one.tryAcquire().isAcquired() ? 1 : 0;
        });
        Thread subscriber =
                new Thread(() -> blocking.transform(RateLimit.with(one)).subscribe(ledger));
        subscriber.start();
        begun.await();
        ledger.cancel();
        assertThat(one.availablePermits()).isZero();
        cancelled.countDown();
        subscriber.join();
        assertThat(one.availablePermits()).isOne();
        assertThat(one.statistics().refused()).isOne();

        Flux.range(1, 5)
                .transform(RateLimit.perSubscription(one, HERE))
                .take(1)
                .doOnComplete(() -> assertThat(one.availablePermits()).isOne())
                .blockLast();
    }

    @Test
    @DisplayName("the call begins when the permit is there, not before")
    void beginsOnGrant() {
        Ledger<Integer> ledger = Ledger.unbounded();
        call.transform(RateLimit.with(limiter, HERE)).subscribe(ledger);
        assertThat(calls).hasValue(0);
        time.advanceBy(SECOND.minusNanos(1));
        assertThat(calls).hasValue(0);
        time.advanceBy(Duration.ofNanos(1));
        assertThat(ledger.received()).containsExactly(1);
        assertThat(ledger.completed).isTrue();
    }

    @Test
    @DisplayName("onSubscribe comes at once, and demand from before the grant reaches the source")
    void onSubscribeAtOnce() {
        Ledger<Integer> ledger = new Ledger<>(0);
        Flux.range(1, 10).transform(RateLimit.perSubscription(limiter, HERE)).subscribe(ledger);
        ledger.request(3);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(1, 2, 3);
        ledger.request(2);
        assertThat(ledger.received()).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    @DisplayName(
            "cancelled from within a source that emits while it is subscribed, the source stops before the permit is back")
    void cancelWithinSource() {
        Limit one = Limit.concurrency(1);
        RateLimiter calling = RateLimiter.of(one);
        AtomicInteger emitted = new AtomicInteger();
        Flux<Integer> endless = Flux.generate(sink -> {
            assertThat(calling.availablePermits()).isZero();
            sink.next(emitted.incrementAndGet());
        });
        assertThat(endless.transform(RateLimit.perSubscription(calling))
                        .take(2)
                        .collectList()
                        .block())
                .containsExactly(1, 2);
        assertThat(endless.transform(RateLimit.perSubscription(calling)).next().block())
                .isEqualTo(3);
        assertThat(emitted).hasValue(3);
        assertThat(calling.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("cancelled while it waits: the source is never subscribed and the permit not lost")
    void cancelWhileWaiting() {
        for (int i = 0; i < 200; i++) {
            Ledger<Integer> ledger = Ledger.unbounded();
            call.transform(RateLimit.with(limiter, HERE)).subscribe(ledger);
            ledger.cancel();
        }
        assertThat(limiter.statistics().queuedPermits()).isZero();
        assertThat(time.pendingTasks()).isZero();
        time.advanceBy(SECOND);
        assertThat(calls).hasValue(0);
        assertThat(limiter.tryAcquire().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("cancelled between grant and begin: the permit goes back and the source is never subscribed")
    void cancelBetweenGrantAndBegin() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        Ledger<Integer> ledger = Ledger.unbounded();
        call.transform(RateLimit.with(limiter, HERE.emitOn(tasks::add))).subscribe(ledger);
        time.advanceBy(SECOND);
        ledger.cancel();
        assertThat(limiter.availablePermits()).isEqualTo(1);
        tasks.forEach(Runnable::run);
        assertThat(calls).hasValue(0);
    }

    @Test
    @DisplayName("timeout, switchMap and block bound the wait")
    void operatorsBoundTheWait() {
        StepVerifier.withVirtualTime(() -> {
                    RateLimiter own = RateLimiter.builder(Limit.of(1, Duration.ofMinutes(1)))
                            .timeSource(ReactorTime.of(Schedulers.parallel()))
                            .build();
                    own.tryAcquire();
                    return call.transform(RateLimit.with(own)).timeout(Duration.ofMillis(100));
                })
                .expectSubscription()
                .thenAwait(Duration.ofMillis(100))
                .verifyError(TimeoutException.class);
        Sinks.Many<Integer> switches = Sinks.many().unicast().onBackpressureBuffer();
        Ledger<Integer> ledger = Ledger.unbounded();
        switches.asFlux()
                .switchMap(i -> call.transform(RateLimit.with(limiter, HERE)))
                .subscribe(ledger);
        for (int i = 0; i < 5; i++) {
            switches.tryEmitNext(i);
        }
        time.advanceBy(SECOND);
        assertThat(calls).hasValue(1);
        assertThat(ledger.received()).containsExactly(1);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> call.transform(RateLimit.with(limiter, HERE)).block(Duration.ofMillis(10)));
        time.advanceBy(SECOND);
        assertThat(calls).as("nothing is called for nobody").hasValue(1);
    }

    @Test
    @DisplayName("every retry and every repeat pays again")
    void retriesPay() {
        List<Long> seconds = new ArrayList<>();
        StepVerifier.withVirtualTime(() -> Mono.defer(() -> {
                            seconds.add(Schedulers.parallel().now(TimeUnit.SECONDS));
                            return Mono.error(new IllegalStateException("again"));
                        })
                        .transform(RateLimit.of(2, SECOND))
                        .retry(4))
                .thenAwait(Duration.ofSeconds(2))
                .verifyErrorMessage("again");
        assertThat(seconds).containsExactly(0L, 0L, 1L, 1L, 2L);
        seconds.clear();
        StepVerifier.withVirtualTime(() -> Mono.fromRunnable(
                                () -> seconds.add(Schedulers.parallel().now(TimeUnit.SECONDS)))
                        .transform(RateLimit.of(2, SECOND))
                        .repeat(4))
                .thenAwait(Duration.ofSeconds(2))
                .verifyComplete();
        assertThat(seconds).containsExactly(0L, 0L, 1L, 1L, 2L);
    }

    @Test
    @DisplayName("the lease is closed exactly when the call ends, before downstream hears of it")
    void leaseEndsWithTheCall() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        Sinks.Many<Integer> source = Sinks.many().unicast().onBackpressureBuffer();
        List<Long> availableAtEnd = new ArrayList<>();
        source.asFlux()
                .transform(RateLimit.perSubscription(one, HERE))
                .doOnComplete(() -> availableAtEnd.add(one.availablePermits()))
                .subscribe();
        source.tryEmitNext(1);
        assertThat(one.availablePermits()).isZero();
        source.tryEmitComplete();
        assertThat(availableAtEnd).containsExactly(1L);

        Mono.just(1)
                .transform(RateLimit.with(one))
                .doOnNext(i -> availableAtEnd.add(one.availablePermits()))
                .block();
        assertThat(availableAtEnd).containsExactly(1L, 1L);

        Ledger<Integer> failing = Ledger.unbounded();
        Flux.<Integer>error(new IllegalStateException())
                .transform(RateLimit.perSubscription(one, HERE))
                .subscribe(failing);
        assertThat(one.availablePermits()).isEqualTo(1);

        Ledger<Integer> cancelled = Ledger.unbounded();
        Flux.<Integer>never().transform(RateLimit.perSubscription(one, HERE)).subscribe(cancelled);
        assertThat(one.availablePermits()).isZero();
        cancelled.cancel();
        assertThat(one.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a limit of concurrency lets the next call begin when one ends")
    void concurrency() {
        RateLimiter two = RateLimiter.of(Limit.concurrency(2));
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Integer> results = Flux.range(1, 40)
                .flatMap(
                        i -> Mono.fromCallable(() -> {
                                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                                    return i;
                                })
                                .delayElement(Duration.ofMillis(2))
                                .doOnNext(done -> running.decrementAndGet())
                                .transform(RateLimit.perSubscription(two)),
                        16)
                .collectList()
                .block(Duration.ofSeconds(10));
        assertThat(results).hasSize(40);
        assertThat(most.get()).isLessThanOrEqualTo(2);
        assertThat(two.availablePermits()).isEqualTo(2);
    }

    @Test
    @DisplayName("a source that throws when it is subscribed late fails the stream and closes the lease")
    void throwingSubscribe() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        Lease busy = one.tryAcquire();
        Ledger<Integer> ledger = Ledger.unbounded();
        Flux<Integer> broken = new Flux<>() {
            @Override
            public void subscribe(reactor.core.CoreSubscriber<? super Integer> actual) {
                throw new IllegalStateException("broken");
            }
        };
        broken.transform(RateLimit.perSubscription(one, HERE)).subscribe(ledger);
        busy.close();
        assertThat(ledger.error).hasMessage("broken");
        assertThat(one.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "a source that throws when it has sent its subscription: that is cancelled, once, before the call fails")
    void throwingAfterOnSubscribe() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        List<String> heard = new ArrayList<>();
        Subscription running = new Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {
                heard.add("cancelled");
            }
        };
        Flux<Integer> broken = new Flux<>() {
            @Override
            public void subscribe(reactor.core.CoreSubscriber<? super Integer> actual) {
                actual.onSubscribe(running);
                throw new IllegalStateException("broken");
            }
        };
        AtomicReference<Subscription> ofCall = new AtomicReference<>();
        broken.transform(RateLimit.perSubscription(one, HERE))
                .doOnSubscribe(ofCall::set)
                .subscribe(element -> {}, error -> heard.add(error.getMessage()));
        ofCall.get().cancel();
        assertThat(heard).containsExactly("cancelled", "broken");
        assertThat(one.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a source that fails fatally when it is subscribed: the thread hears of it, and the lease is closed")
    void fatalSubscribe() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        Flux<Integer> broken = new Flux<>() {
            @Override
            public void subscribe(reactor.core.CoreSubscriber<? super Integer> actual) {
                throw new NoClassDefFoundError("broken");
            }
        };
        assertThatExceptionOfType(NoClassDefFoundError.class)
                .isThrownBy(() ->
                        broken.transform(RateLimit.perSubscription(one, HERE)).subscribe());
        assertThat(one.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a source that throws when it is cancelled: the thread hears of it, and the lease is closed")
    void throwingCancel() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        Flux<Integer> broken = Flux.from(subscriber -> subscriber.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {
                throw new IllegalStateException("broken");
            }
        }));
        Disposable call = broken.transform(RateLimit.perSubscription(one, HERE)).subscribe();
        assertThat(one.availablePermits()).isZero();
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(call::dispose);
        assertThat(one.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a source that completes although downstream has cancelled with its last element: nobody hears of it")
    void completesAfterCancel() {
        ManualSource<Integer> source = new ManualSource<>();
        AtomicInteger completions = new AtomicInteger();
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        source.transform(RateLimit.perSubscription(one, HERE)).subscribe(new CoreSubscriber<Integer>() {

            private Subscription upstream = Operators.emptySubscription();

            @Override
            public void onSubscribe(Subscription subscription) {
                upstream = subscription;
                subscription.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(Integer element) {
                upstream.cancel();
            }

            @Override
            public void onError(Throwable error) {
                throw new AssertionError(error);
            }

            @Override
            public void onComplete() {
                completions.incrementAndGet();
            }
        });
        source.next(1);
        source.complete();
        assertThat(completions).hasValue(0);
        assertThat(one.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a refused call fails, or with DROP ends empty; a closed limiter fails it in any case")
    void refused() {
        StreamOptions enforce = HERE.maxWait(Duration.ZERO);
        StepVerifier.create(call.transform(RateLimit.with(limiter, enforce)))
                .verifyErrorSatisfies(error -> assertThat(error)
                        .isInstanceOfSatisfying(
                                RateLimitExceededException.class,
                                exceeded ->
                                        assertThat(exceeded.lease().reason()).contains(RefusalReason.EXHAUSTED)));
        StepVerifier.create(call.transform(RateLimit.with(limiter, enforce.onRefused(OnRefused.DROP))))
                .verifyComplete();
        Ledger<Integer> waiting = Ledger.unbounded();
        call.transform(RateLimit.with(limiter, HERE.onRefused(OnRefused.DROP))).subscribe(waiting);
        limiter.close();
        assertThat(waiting.error)
                .isInstanceOfSatisfying(
                        RateLimitExceededException.class,
                        exceeded -> assertThat(exceeded.lease().reason()).contains(RefusalReason.CLOSED));
        StepVerifier.create(call.transform(RateLimit.with(limiter, HERE))).verifyError(IllegalStateException.class);
        assertThat(calls).hasValue(0);
    }

    @Test
    @DisplayName("several subscribers of one mono share its own limiter, two monos do not")
    void monoLimiterIsShared() {
        StepVerifier.withVirtualTime(() -> {
                    Mono<Integer> limited = call.transform(RateLimit.of(1, SECOND));
                    Mono<Integer> other = call.transform(RateLimit.of(1, SECOND));
                    return Flux.merge(limited, limited, other)
                            .map(i -> Schedulers.parallel().now(TimeUnit.SECONDS));
                })
                .expectNext(0L, 0L)
                .thenAwait(SECOND)
                .expectNext(1L)
                .verifyComplete();
    }
}
