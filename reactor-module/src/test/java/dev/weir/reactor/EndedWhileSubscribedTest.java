package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;
import reactor.test.util.RaceTestUtils;

/** A call that has waited, and is over on another thread while the worker's thread still subscribes its source. */
class EndedWhileSubscribedTest {

    private static final Duration TICK = Duration.ofMillis(1);
    private static final int RACERS = 32;
    private static final int ROUNDS = 1_000;

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter = Ledger.exhausted(time, 1, TICK);
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread worker = new Thread(task, "worker");
        worker.setDaemon(true);
        return worker;
    });
    private final AtomicInteger interrupted = new AtomicInteger();
    private volatile int disposedMeanwhile;
    private volatile CountDownLatch handedOver = new CountDownLatch(1);
    private volatile CountedWorkers workers = new CountedWorkers(Schedulers.fromExecutorService(thread));

    @BeforeEach
    void count() {
        workers.standInForParallel();
    }

    @AfterEach
    void countNoMore() {
        Schedulers.resetFactory();
        Hooks.resetOnErrorDropped();
        thread.shutdownNow();
    }

    /** Lets another thread do something to its end, and notes what this one sees of it. */
    private void meanwhile(Runnable other) {
        Thread runner = new Thread(
                () -> {
                    awaitQuietly(handedOver); // before that, Reactor leaves the interrupt to who hands the task over
                    other.run();
                },
                "other");
        runner.start();
        try {
            runner.join(TimeUnit.SECONDS.toMillis(20));
            if (Thread.interrupted()) { // the other one was at its end before this one waited
                interrupted.incrementAndGet();
            }
        } catch (InterruptedException seen) {
            interrupted.incrementAndGet();
        }
        disposedMeanwhile = workers.disposed.get();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private Mono<Integer> mono(Consumer<MonoSink<Integer>> ending) {
        return Mono.<Integer>create(sink -> meanwhile(() -> ending.accept(sink)))
                .transform(RateLimit.with(limiter));
    }

    private Flux<Integer> flux(Consumer<FluxSink<Integer>> ending) {
        return Flux.<Integer>create(sink -> meanwhile(() -> ending.accept(sink)))
                .transform(RateLimit.perSubscription(limiter));
    }

    /** Subscribes, brings the permit, and waits until the worker's thread has subscribed the source. */
    private void callAfterAWait(Publisher<Integer> call, Ledger<Integer> ledger) throws InterruptedException {
        handedOver = new CountDownLatch(1);
        call.subscribe(ledger);
        time.advanceBy(TICK);
        handedOver.countDown();
        awaitWorker();
    }

    /** Waits until the worker's thread has done what it was given. */
    private void awaitWorker() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        thread.execute(done::countDown);
        assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @DisplayName("ended: the subscribing thread is not interrupted, and disposes the worker itself when it is done")
    void ended() throws InterruptedException {
        IllegalStateException forced = new IllegalStateException("forced");
        List<Publisher<Integer>> calls = List.of(
                mono(sink -> sink.success(1)),
                mono(MonoSink::success),
                mono(sink -> sink.error(forced)),
                mono(sink -> sink.success(1)).flux().take(1),
                mono(sink -> sink.success(1)).flux().next(),
                flux(sink -> sink.next(1).complete()),
                flux(sink -> sink.error(forced)));
        for (int call = 0; call < calls.size(); call++) {
            Ledger<Integer> ledger = Ledger.unbounded();
            callAfterAWait(calls.get(call), ledger);
            assertThat(ledger.completed || ledger.error == forced)
                    .as("call %d is over", call)
                    .isTrue();
            assertThat(interrupted).as("call %d", call).hasValue(0);
            assertThat(disposedMeanwhile).as("call %d", call).isEqualTo(call);
            assertThat(workers.disposed).as("call %d", call).hasValue(call + 1);
            assertThat(workers.made).hasValue(call + 1);
        }
    }

    @Test
    @DisplayName("cancelled when it has ended already: nor is it then")
    void cancelledAfterTheEnd() throws InterruptedException {
        Ledger<Integer> ledger = Ledger.unbounded();
        AtomicReference<Subscription> ofCall = new AtomicReference<>();
        Mono<Integer> call = mono(sink -> {
                    sink.success(1);
                    ofCall.get().cancel();
                })
                .doOnSubscribe(ofCall::set);
        callAfterAWait(call, ledger);
        assertThat(ledger.received()).containsExactly(1);
        assertThat(interrupted).hasValue(0);
        assertThat(disposedMeanwhile).isZero();
        assertThat(workers.disposed).hasValue(1);
    }

    @Test
    @DisplayName("cancelled before its end: the worker is disposed at once, which interrupts the subscribing thread")
    void cancelled() throws InterruptedException {
        Ledger<Integer> ledger = Ledger.unbounded();
        callAfterAWait(mono(sink -> ledger.cancel()), ledger);
        assertThat(interrupted).hasValue(1);
        assertThat(disposedMeanwhile).isEqualTo(1);
        assertThat(workers.disposed).hasValue(1);
    }

    @Test
    @DisplayName("refused after a wait, and cancelled while downstream handles that on the worker: nor is it then")
    void cancelledWhileRefused() throws InterruptedException {
        Ledger<Integer> ledger = Ledger.unbounded();
        AtomicReference<Subscription> ofCall = new AtomicReference<>();
        Mono.just(1)
                .transform(RateLimit.with(limiter))
                .doOnSubscribe(ofCall::set)
                .doOnError(refusal -> meanwhile(() -> ofCall.get().cancel()))
                .subscribe(ledger);
        limiter.close();
        handedOver.countDown();
        awaitWorker();
        assertThat(ledger.error).isInstanceOf(RateLimitExceededException.class);
        assertThat(interrupted).hasValue(0);
        assertThat(disposedMeanwhile).isZero();
        assertThat(workers.made).hasValue(1);
        assertThat(workers.disposed).hasValue(1);
    }

    @Test
    @DisplayName("a source that ends and then throws as it is subscribed: the worker is disposed all the same")
    void endedAndThrown() throws InterruptedException {
        List<Throwable> dropped = new CopyOnWriteArrayList<>();
        Hooks.onErrorDropped(dropped::add);
        List<Runnable> failures = List.of(
                () -> {
                    throw new IllegalStateException("forced");
                },
                () -> {
                    throw new NoClassDefFoundError("fatal");
                });
        for (Runnable failure : failures) {
            int before = workers.disposed.get();
            Ledger<Integer> ledger = Ledger.unbounded();
            Flux<Integer> broken = new Flux<>() {
                @Override
                public void subscribe(CoreSubscriber<? super Integer> actual) {
                    meanwhile(() -> Operators.complete(actual));
                    failure.run();
                }
            };
            callAfterAWait(broken.transform(RateLimit.perSubscription(limiter)), ledger);
            assertThat(ledger.completed).isTrue();
            assertThat(disposedMeanwhile).isEqualTo(before);
            assertThat(workers.disposed).hasValue(before + 1);
        }
        assertThat(dropped).singleElement().isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("a worker that takes no task: the call fails, and the worker is disposed")
    void rejected() {
        thread.shutdown();
        Ledger<Integer> ledger = Ledger.unbounded();
        Mono.just(1).transform(RateLimit.with(limiter)).subscribe(ledger);
        time.advanceBy(TICK);
        assertThat(ledger.error).isInstanceOf(RejectedExecutionException.class);
        assertThat(workers.made).hasValue(1);
        assertThat(workers.disposed).hasValue(1);
    }

    @Test
    @DisplayName("the end against the return of subscribe, and a cancel beside them: no worker is left behind")
    void endAgainstReturn() {
        VirtualTimeScheduler here = VirtualTimeScheduler.create();
        workers = new CountedWorkers(here);
        Schedulers.resetFactory();
        workers.standInForParallel();
        // Enough threads that none is given two racers, which wait for each other, while those of the round before are
        // still in use.
        Scheduler racers = Schedulers.newBoundedElastic(RACERS, 100, "race");
        try {
            for (int round = 0; round < ROUNDS; round++) {
                raceOnce(racers, here, round);
                assertThat(workers.made).hasValue(round + 1);
                assertThat(workers.disposed).as("round %d", round).hasValue(round + 1);
            }
        } finally {
            racers.dispose();
        }
    }

    private void raceOnce(Scheduler racers, VirtualTimeScheduler here, int round) {
        CountDownLatch subscribing = new CountDownLatch(1);
        MonoSink<?>[] given = new MonoSink<?>[1];
        Ledger<Object> ledger = Ledger.unbounded();
        Mono.create(sink -> {
                    given[0] = sink;
                    subscribing.countDown();
                })
                .transform(RateLimit.with(limiter))
                .subscribe(ledger);
        time.advanceBy(TICK);
        UnaryOperator<Runnable> onceSubscribing = what -> () -> {
            while (subscribing.getCount() > 0) {
                Thread.onSpinWait();
            }
            what.run();
        };
        Runnable subscribe = () -> here.advanceTimeBy(Duration.ZERO);
        Runnable end = onceSubscribing.apply(() -> given[0].success());
        if (round % 2 == 0) {
            RaceTestUtils.race(racers, subscribe, end);
        } else {
            RaceTestUtils.race(racers, subscribe, end, onceSubscribing.apply(ledger::cancel));
        }
    }
}
