package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.util.RaceTestUtils;

/** A call that is granted and cancelled at the same time: either it begins and its permit is spent, or neither. */
class CallRaceTest {

    private static final int ROUNDS = 1_000;
    private static final Duration TICK = Duration.ofMillis(1);

    private Scheduler racers;

    @BeforeEach
    void start() {
        racers = Schedulers.newBoundedElastic(32, 100, "race");
    }

    @AfterEach
    void stop() {
        racers.dispose();
        Hooks.resetOnErrorDropped();
    }

    @Test
    @DisplayName("grant against cancel, on the granting thread")
    void grantAgainstCancel() {
        for (int round = 0; round < ROUNDS; round++) {
            VirtualTimeSource time = new VirtualTimeSource();
            RateLimiter limiter = Ledger.exhausted(time, 1, TICK);
            AtomicInteger begun = new AtomicInteger();
            Ledger<Integer> ledger = Ledger.unbounded();
            Mono.defer(() -> Mono.just(begun.incrementAndGet()))
                    .transform(RateLimit.with(limiter, StreamOptions.defaults().emitOn(Runnable::run)))
                    .subscribe(ledger);
            RaceTestUtils.race(racers, () -> time.advanceBy(TICK), ledger::cancel);
            time.advanceBy(Duration.ZERO);
            assertThat(limiter.availablePermits()).as("round %d", round).isEqualTo(1 - begun.get());
            assertThat(limiter.statistics().queuedPermits()).isZero();
            assertThat(time.pendingTasks()).isZero();
        }
    }

    @Test
    @DisplayName("hand-over against cancel")
    void handOverAgainstCancel() {
        for (int round = 0; round < ROUNDS; round++) {
            VirtualTimeSource time = new VirtualTimeSource();
            RateLimiter limiter = Ledger.exhausted(time, 1, TICK);
            Queue<Runnable> line = new ConcurrentLinkedQueue<>();
            AtomicInteger begun = new AtomicInteger();
            Ledger<Integer> ledger = Ledger.unbounded();
            Mono.defer(() -> Mono.just(begun.incrementAndGet()))
                    .transform(RateLimit.with(limiter, StreamOptions.defaults().emitOn(line::add)))
                    .subscribe(ledger);
            time.advanceBy(TICK);
            RaceTestUtils.race(racers, line.remove(), ledger::cancel);
            assertThat(limiter.availablePermits()).as("round %d", round).isEqualTo(1 - begun.get());
        }
    }

    @Test
    @DisplayName("end against cancel: the lease is closed once")
    void endAgainstCancel() {
        for (int round = 0; round < ROUNDS; round++) {
            RateLimiter two = RateLimiter.of(Limit.concurrency(2));
            Lease other = two.tryAcquire();
            ManualSource<Integer> source = new ManualSource<>();
            Ledger<Integer> ledger = Ledger.unbounded();
            Flux<Integer> call = source.transform(
                    RateLimit.perSubscription(two, StreamOptions.defaults().emitOn(Runnable::run)));
            call.subscribe(ledger);
            RaceTestUtils.race(racers, source::complete, ledger::cancel);
            assertThat(two.availablePermits()).as("round %d", round).isEqualTo(1);
            other.close();
        }
    }

    @Test
    @DisplayName("a source that throws as it is subscribed against its own end: downstream hears of one of them")
    void throwAgainstEnd() {
        IllegalStateException broken = new IllegalStateException("on purpose");
        Hooks.onErrorDropped(late -> {});
        for (int round = 0; round < ROUNDS; round++) {
            RateLimiter one = RateLimiter.of(Limit.concurrency(1));
            Lease busy = one.tryAcquire();
            AtomicInteger heard = new AtomicInteger();
            ManualSource<Integer> source = new ManualSource<>();
            AtomicInteger steps = new AtomicInteger(round % 100);
            Flux.<Integer>from(subscriber -> {
                        source.subscribe(subscriber);
                        while (steps.getAndDecrement() > 0) {
                            Thread.onSpinWait();
                        }
                        throw broken;
                    })
                    .transform(RateLimit.perSubscription(
                            one, StreamOptions.defaults().emitOn(Runnable::run)))
                    .subscribe(new Ends(heard));
            RaceTestUtils.race(racers, busy::close, () -> {
                while (source.subscriber == null) {
                    Thread.onSpinWait();
                }
                source.complete();
            });
            assertThat(heard).as("round %d", round).hasValue(1);
            assertThat(one.availablePermits()).isOne();
        }
    }

    /** Counts ends, as many as it hears of. */
    private record Ends(AtomicInteger heard) implements CoreSubscriber<Integer> {

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Integer element) {}

        @Override
        public void onError(Throwable error) {
            heard.incrementAndGet();
        }

        @Override
        public void onComplete() {
            heard.incrementAndGet();
        }
    }
}
