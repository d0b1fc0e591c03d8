package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Lease;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.blockhound.BlockingOperationError;
import reactor.core.Disposable;
import reactor.core.Fuseable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** What rate limiting operators are known to get wrong, one test for each. */
class PitfallsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StreamOptions HERE = StreamOptions.defaults().emitOn(Runnable::run);

    private final VirtualTimeSource time = new VirtualTimeSource();

    private static <T> Ledger<T> subscribe(Flux<T> source, RateLimiter limiter, StreamOptions options, long demand) {
        Ledger<T> ledger = new Ledger<>(demand);
        source.transform(RateLimit.with(limiter, ledger.options(options))).subscribe(ledger);
        return ledger;
    }

    // Time

    @Test
    @DisplayName("idle time is not saved up: after an hour, no more than one full limit at once")
    void idleTimeIsNotRepaid() {
        RateLimiter limiter = Ledger.limiter(time, 5, SECOND);
        time.advanceBy(Duration.ofHours(1));
        Ledger<Integer> ledger = subscribe(Flux.range(1, 100), limiter, HERE, Long.MAX_VALUE);
        assertThat(ledger.received()).hasSize(5);
    }

    @Test
    @DisplayName("hours without demand are not repaid either")
    void timeWithoutDemandIsNotRepaid() {
        RateLimiter limiter = Ledger.limiter(time, 5, SECOND);
        Ledger<Integer> ledger = subscribe(Flux.range(1, 100), limiter, HERE, 7);
        time.advanceBy(Duration.ofHours(3));
        ledger.request(100);
        assertThat(ledger.received()).hasSize(7 + 5);
    }

    @Test
    @DisplayName("a limiter has one timer, however many elements and streams wait")
    void oneTimer() {
        RateLimiter limiter = Ledger.exhausted(time, 1, SECOND);
        for (int stream = 0; stream < 100; stream++) {
            subscribe(Flux.range(1, 100).hide(), limiter, HERE.prefetch(16), Long.MAX_VALUE);
        }
        assertThat(time.pendingTasks()).isEqualTo(1);
    }

    // Backpressure

    @Test
    @DisplayName("demand without bound is not passed on to the source")
    void unboundedDemandIsNotPassedOn() {
        AtomicLong asked = new AtomicLong();
        subscribe(
                Flux.range(1, 100_000).hide().doOnRequest(asked::addAndGet),
                Ledger.limiter(time, 3, SECOND),
                HERE,
                Long.MAX_VALUE);
        assertThat(asked).as("three that passed and the one that waits").hasValue(4);
    }

    @Test
    @DisplayName("a source that was idle does not overflow, as zip with interval does")
    void idleSourceDoesNotOverflow() {
        ManualSource<Integer> source = new ManualSource<>();
        RateLimiter limiter = Ledger.limiter(time, 1, Duration.ofMillis(10));
        Ledger<Integer> ledger = subscribe(source, limiter, HERE, Long.MAX_VALUE);
        time.advanceBy(Duration.ofMinutes(10));
        source.next(1);
        source.next(2);
        assertThat(ledger.received()).as("nor does it save ticks").containsExactly(1);
        time.advanceBy(Duration.ofMillis(10));
        assertThat(ledger.received()).containsExactly(1, 2);
        assertThat(ledger.error).isNull();
    }

    @Test
    @DisplayName("§1.1: nothing is emitted, and no permit taken, without demand")
    void noPermitWithoutDemand() {
        ManualSource<Integer> source = new ManualSource<>();
        RateLimiter limiter = Ledger.limiter(time, 2, SECOND);
        Ledger<Integer> ledger = subscribe(source, limiter, HERE.buffer(4), 0);
        source.next(1);
        source.next(2);
        time.advanceBy(SECOND);
        assertThat(limiter.availablePermits()).isEqualTo(2);
        assertThat(limiter.statistics().queuedPermits()).isZero();
        ledger.request(1);
        assertThat(ledger.received()).containsExactly(1);
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("no permit is taken when there is demand but no element")
    void noPermitWithoutElement() {
        RateLimiter limiter = Ledger.limiter(time, 2, SECOND);
        subscribe(Flux.<Integer>never(), limiter, HERE, Long.MAX_VALUE);
        time.advanceBy(SECOND);
        assertThat(limiter.availablePermits()).isEqualTo(2);
    }

    // Signals

    @Test
    @DisplayName("§2.9: completion and errors need neither permit nor demand")
    void terminalSignalsNeedNothing() {
        RateLimiter none = Ledger.exhausted(time, 1, SECOND);
        assertThat(subscribe(Flux.empty(), none, HERE, 0).completed).isTrue();
        assertThat(subscribe(Flux.empty().hide(), none, HERE, 0).completed).isTrue();
        assertThat(subscribe(Flux.error(new IllegalStateException("on purpose")), none, HERE, 0).error)
                .hasMessage("on purpose");
    }

    @Test
    @DisplayName("completion comes with the last element, not a period later, and not before it")
    void completesWithTheLastElement() {
        Ledger<Integer> ledger =
                subscribe(Flux.range(1, 2).hide(), Ledger.limiter(time, 1, SECOND), HERE.prefetch(2), Long.MAX_VALUE);
        assertThat(ledger.completed).isFalse();
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(1, 2);
        assertThat(ledger.completed).isTrue();
    }

    @Test
    @DisplayName("completion of a fused source comes with the last element, without further demand")
    void fusedSourceCompletesWithTheLastElement() {
        Ledger<Integer> ledger = subscribe(Flux.range(1, 2), Ledger.limiter(time, 5, SECOND), HERE, 2);
        assertThat(ledger.received()).containsExactly(1, 2);
        assertThat(ledger.completed).isTrue();
    }

    @Test
    @DisplayName("onSubscribe is not withheld while a permit is awaited")
    void onSubscribeAtOnce() {
        AtomicInteger subscribed = new AtomicInteger();
        Ledger<Integer> ledger = Ledger.unbounded();
        Flux.just(1)
                .transform(RateLimit.with(Ledger.exhausted(time, 1, SECOND), HERE))
                .doOnSubscribe(subscription -> subscribed.incrementAndGet())
                .subscribe(ledger);
        assertThat(subscribed).hasValue(1);
    }

    @Test
    @DisplayName("an element that comes too late after cancel is discarded, not an onNextDropped")
    void lateElementIsDiscarded() {
        ManualSource<Integer> source = new ManualSource<>();
        Ledger<Integer> ledger = subscribe(source, Ledger.limiter(time, 1, SECOND), HERE, Long.MAX_VALUE);
        ledger.cancel();
        source.next(1);
        assertThat(source.cancelled).isTrue();
        assertThat(ledger.discarded()).containsExactly(1);
        assertThat(ledger.dropped()).containsExactly(1);
    }

    @Test
    @DisplayName("cancel discards what is held at once, also while the worker is busy elsewhere or its task lost")
    void cancelDependsOnNoTask() {
        ManualSource<Integer> source = new ManualSource<>();
        RateLimiter limiter = Ledger.exhausted(time, 1, SECOND);
        Queue<Runnable> neverRun = new ArrayDeque<>();
        Ledger<Integer> ledger =
                subscribe(source, limiter, StreamOptions.defaults().buffer(5).emitOn(neverRun::add), Long.MAX_VALUE);
        for (int i = 1; i <= 5; i++) {
            source.next(i);
        }
        time.advanceBy(SECOND);
        assertThat(neverRun).hasSize(1);
        ledger.cancel();
        assertThat(ledger.discarded()).containsExactly(1, 2, 3, 4, 5);
        assertThat(limiter.availablePermits()).as("granted to nobody").isEqualTo(1);
    }

    @Test
    @DisplayName("cancelled while waiting, a stream leaves neither request nor timer nor lost permit behind")
    void cancelLeavesNothing() {
        RateLimiter limiter = Ledger.exhausted(time, 1, SECOND);
        for (int i = 0; i < 200; i++) {
            subscribe(Flux.just(i), limiter, HERE, Long.MAX_VALUE).cancel();
        }
        assertThat(limiter.statistics().queuedPermits()).isZero();
        assertThat(time.pendingTasks()).isZero();
        Ledger<Integer> next = subscribe(Flux.just(7), limiter, HERE, Long.MAX_VALUE);
        time.advanceBy(SECOND);
        assertThat(next.received()).containsExactly(7);
    }

    @Test
    @DisplayName("a wait that is refused consumes no permit")
    void refusalConsumesNothing() {
        RateLimiter limiter = Ledger.exhausted(time, 1, SECOND);
        for (int i = 0; i < 10; i++) {
            Ledger<Integer> ledger =
                    subscribe(Flux.just(1), limiter, HERE.maxWait(Duration.ofMillis(10)), Long.MAX_VALUE);
            assertThat(ledger.error).isInstanceOf(RateLimitExceededException.class);
        }
        time.advanceBy(SECOND);
        assertThat(limiter.tryAcquire().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a limiter closed meanwhile: the waiting stream is refused, a later one gets IllegalStateException")
    void closedLimiter() {
        RateLimiter limiter = Ledger.exhausted(time, 1, SECOND);
        Ledger<Integer> waiting = subscribe(Flux.just(1), limiter, HERE, Long.MAX_VALUE);
        limiter.close();
        assertThat(waiting.error).isInstanceOf(RateLimitExceededException.class);
        Ledger<Integer> later = subscribe(Flux.just(2), limiter, HERE, Long.MAX_VALUE);
        assertThat(later.error).isInstanceOf(IllegalStateException.class);
        assertThat(later.discarded()).containsExactly(2);
    }

    // Whose limiter

    @Test
    @DisplayName("on a flux the elements are limited, not the subscription")
    void elementsNotSubscriptions() {
        Ledger<Integer> ledger = subscribe(Flux.range(1, 10), Ledger.limiter(time, 1, SECOND), HERE, Long.MAX_VALUE);
        assertThat(ledger.received()).containsExactly(1);
    }

    @Test
    @DisplayName("transform is evaluated once: own limiters are still one for each subscription, given ones shared")
    void limiterGoesWhereTheUserPutIt() {
        Flux<Integer> own = Flux.range(1, 10).transform(RateLimit.of(3, Duration.ofHours(1)));
        Ledger<Integer> first = Ledger.unbounded();
        Ledger<Integer> second = Ledger.unbounded();
        own.subscribe(first);
        own.subscribe(second);
        assertThat(first.received()).hasSize(3);
        assertThat(second.received()).hasSize(3);
        first.cancel();
        second.cancel();

        Flux<Integer> shared = Flux.range(1, 10).transform(RateLimit.with(Ledger.limiter(time, 3, SECOND), HERE));
        Ledger<Integer> third = Ledger.unbounded();
        Ledger<Integer> fourth = Ledger.unbounded();
        shared.subscribe(third);
        shared.subscribe(fourth);
        assertThat(third.received()).hasSize(3);
        assertThat(fourth.received()).isEmpty();
    }

    @Test
    @DisplayName("streams that share a limiter take turns, and none starves")
    void streamsTakeTurns() {
        RateLimiter limiter = Ledger.exhausted(time, 1, SECOND);
        List<Ledger<Integer>> streams = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            streams.add(subscribe(Flux.range(1, 1_000), limiter, HERE, Long.MAX_VALUE));
        }
        time.advanceBy(SECOND.multipliedBy(50));
        assertThat(streams).allSatisfy(stream -> assertThat(stream.received()).hasSize(10));
    }

    @Test
    @DisplayName("retry inside flatMap pays for every attempt")
    void retryPays() {
        RateLimiter limiter = Ledger.limiter(time, 4, SECOND);
        AtomicInteger calls = new AtomicInteger();
        Flux.range(1, 5)
                .flatMap(i -> Mono.error(() -> new IllegalStateException("attempt " + calls.incrementAndGet()))
                        .transform(RateLimit.with(limiter, HERE))
                        .retry(3))
                .subscribe(i -> {}, error -> {});
        assertThat(calls).hasValue(4);
    }

    // Threads

    @Test
    @DisplayName("a consumer that blocks on a thread of its own, by emitOn, delays no other stream of the limiter")
    void slowConsumerDelaysNobody() throws InterruptedException {
        RateLimiter limiter = RateLimiter.of(1, Duration.ofMillis(20));
        limiter.tryAcquire();
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch stuck = new CountDownLatch(1);
        Flux.just(1)
                .transform(RateLimit.with(limiter, StreamOptions.defaults().emitOn(task -> new Thread(task).start())))
                .subscribe(i -> {
                    stuck.countDown();
                    Awaitility.await().until(() -> release.getCount() == 0);
                });
        assertThat(stuck.await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(Flux.range(1, 3)
                        .transform(RateLimit.with(limiter))
                        .collectList()
                        .block(Duration.ofSeconds(5)))
                .hasSize(3);
        release.countDown();
    }

    @Test
    @DisplayName("a permit that is there at once schedules no task; after a wait the stream's own worker goes on")
    void threads() {
        RateLimiter limiter = Ledger.limiter(time, 2, SECOND);
        List<String> threads = new CopyOnWriteArrayList<>();
        Disposable subscription = Flux.range(1, 3)
                .transform(RateLimit.with(limiter))
                .subscribe(i -> threads.add(Thread.currentThread().getName()));
        Awaitility.await().until(() -> limiter.statistics().queuedPermits() == 1);
        assertThat(threads).hasSize(2).containsOnly(Thread.currentThread().getName());
        time.advanceBy(SECOND);
        Awaitility.await().until(subscription::isDisposed);
        assertThat(threads).hasSize(3).last().asString().startsWith("parallel-");
    }

    @Test
    @DisplayName("a thread of Reactor that schedules or cancels waits for no lock of the timer")
    void timerBlocksNobody() {
        TimeSource time = TimeSource.system();
        Long count = Flux.range(0, 4)
                .flatMap(thread -> Flux.range(0, 20_000)
                        .doOnNext(i -> {
                            time.schedule(() -> {}, i % 3 * 10_000L);
                            time.schedule(() -> {}, 3_600_000_000_000L).cancel();
                        })
                        .subscribeOn(Schedulers.parallel()))
                .count()
                .block(Duration.ofSeconds(30));
        assertThat(count).isEqualTo(80_000);
    }

    @Test
    @DisplayName("a limiter that throws whatever it may ends the stream that asks, and the call")
    void limiterThatThrowsErrors() {
        AssertionError error = new AssertionError("on purpose");
        AtomicBoolean broken = new AtomicBoolean();
        List<Integer> taken = new ArrayList<>();
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofSeconds(1)))
                .timeSource(new TimeSource() {
                    @Override
                    public long nanoTime() {
                        if (broken.get()) {
                            throw error;
                        }
                        return time.nanoTime();
                    }

                    @Override
                    public Cancellable schedule(Runnable task, long delayNanos) {
                        return time.schedule(task, delayNanos);
                    }
                })
                .build();
        StepVerifier.create(Flux.range(0, 3)
                        .hide()
                        .doOnNext(i -> broken.set(i == 1))
                        .doOnNext(taken::add)
                        .transform(RateLimit.with(limiter)))
                .expectNext(0)
                .verifyErrorSatisfies(thrown -> assertThat(thrown).isSameAs(error));
        assertThat(taken).as("taken from the source").containsExactly(0, 1);
        StepVerifier.create(Mono.just(1).hide().transform(RateLimit.with(limiter)))
                .verifyErrorSatisfies(thrown -> assertThat(thrown).isSameAs(error));
    }

    @Test
    @DisplayName("a call that blocks a thread of Reactor is noticed in these tests")
    void blockHoundIsOn() {
        assertThatThrownBy(() -> Mono.fromRunnable(() -> {
                            try {
                                new CountDownLatch(1).await(10, TimeUnit.SECONDS);
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        })
                        .subscribeOn(Schedulers.parallel())
                        .block())
                .hasRootCauseInstanceOf(BlockingOperationError.class);
    }

    // Fusion

    @Test
    @DisplayName("downstream cannot fuse past the permits")
    void noOutputFusion() {
        AtomicReference<Subscription> given = new AtomicReference<>();
        Flux<Integer> limited = Flux.range(1, 10).transform(RateLimit.of(1, SECOND));
        limited.doOnSubscribe(given::set).subscribe().dispose();
        assertThat(limited).isNotInstanceOf(Fuseable.class);
        assertThat(given.get()).isNotInstanceOf(Fuseable.QueueSubscription.class);
    }

    @Test
    @DisplayName("a limit of concurrency on elements: the lease is closed when the element has been passed on")
    void concurrencyOfElements() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        List<Long> during = new ArrayList<>();
        Flux.range(1, 3)
                .transform(RateLimit.with(one, HERE))
                .doOnNext(i -> during.add(one.availablePermits()))
                .blockLast();
        assertThat(during).containsExactly(0L, 0L, 0L);
        assertThat(one.availablePermits()).isEqualTo(1);
        Lease busy = one.tryAcquire();
        Ledger<Integer> ledger = subscribe(Flux.range(1, 3), one, HERE, Long.MAX_VALUE);
        assertThat(ledger.received()).isEmpty();
        busy.close();
        assertThat(ledger.received()).containsExactly(1, 2, 3);
    }
}
