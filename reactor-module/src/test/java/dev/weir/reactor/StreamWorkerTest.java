package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.Scannable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

/** A stream makes one worker when it has waited, and lets go of it however it ends. */
class StreamWorkerTest {

    private static final Duration TICK = Duration.ofMillis(1);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter = Ledger.exhausted(time, 1, TICK);
    private final VirtualTimeScheduler scheduler = VirtualTimeScheduler.create();
    private final CountedWorkers workers = new CountedWorkers(scheduler);

    @BeforeEach
    void count() {
        workers.standInForParallel();
    }

    @AfterEach
    void countNoMore() {
        Schedulers.resetFactory();
    }

    private void tick() {
        time.advanceBy(TICK);
        scheduler.advanceTimeBy(Duration.ZERO);
    }

    @Test
    @DisplayName("a stream that waits several times: one worker, until the end")
    void untilTheEnd() {
        Ledger<Integer> ledger = Ledger.unbounded();
        Flux.range(0, 3).transform(RateLimit.with(limiter)).subscribe(ledger);
        assertThat(workers.made).hasValue(0);
        for (int element = 0; element < 3; element++) {
            assertThat(workers.disposed).hasValue(0);
            tick();
        }
        assertThat(workers.made).hasValue(1);
        assertThat(workers.disposed).hasValue(1);
    }

    @Test
    @DisplayName("the scheduler of the worker is the one that a stream and a call tell, unless an executor was given")
    void told() {
        StreamOptions given = StreamOptions.defaults().emitOn(Runnable::run);
        assertThat(toldBy(RateLimit.with(limiter))).isSameAs(Schedulers.parallel());
        assertThat(toldBy(RateLimit.with(limiter, given))).isNull();
        assertThat(toldBy(RateLimit.of(5, TICK))).isSameAs(Schedulers.parallel());
        assertThat(toldBy(RateLimit.perSubscription(limiter))).isSameAs(Schedulers.parallel());
        assertThat(toldBy(RateLimit.perSubscription(limiter, given))).isNull();
    }

    private static @Nullable Scheduler toldBy(RateLimit<Integer> operator) {
        AtomicReference<Subscription> upstream = new AtomicReference<>();
        Flux.<Integer>never().transform(operator).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                upstream.set(subscription);
            }
        });
        Scheduler told = (Scheduler) Scannable.from(upstream.get()).scanUnsafe(Scannable.Attr.RUN_ON);
        upstream.get().cancel();
        return told;
    }

    @Test
    @DisplayName("a stream that is cancelled, and one whose source fails")
    void cancelledOrFailed() {
        Ledger<Integer> cancelled = Ledger.unbounded();
        Flux.range(0, 3).transform(RateLimit.with(limiter)).subscribe(cancelled);
        tick();
        cancelled.cancel();
        assertThat(workers.disposed).hasValue(1);
        Ledger<Integer> failed = Ledger.unbounded();
        Mono.<Integer>error(new IllegalStateException("forced"))
                .transform(RateLimit.with(limiter))
                .subscribe(failed);
        tick();
        assertThat(workers.made).hasValue(2);
        assertThat(workers.disposed).hasValue(2);
    }

    static List<Function<RateLimiter, Publisher<Integer>>> streams() {
        IllegalStateException forced = new IllegalStateException("forced");
        return List.of(
                limiter -> Flux.<Integer>empty().transform(RateLimit.perSubscription(limiter)),
                limiter -> Flux.<Integer>error(forced).transform(RateLimit.perSubscription(limiter)),
                limiter -> Mono.just(1).transform(RateLimit.with(limiter)),
                limiter -> Mono.<Integer>error(forced).transform(RateLimit.with(limiter)),
                limiter -> Flux.just(1).transform(RateLimit.with(limiter)));
    }

    @ParameterizedTest
    @MethodSource("streams")
    @DisplayName("a subscriber that throws when it hears of the end, against the rules: the worker goes all the same")
    void theEndThrows(Function<RateLimiter, Publisher<Integer>> stream) {
        List<Throwable> uncaught = new ArrayList<>();
        stream.apply(limiter).subscribe(new Throwing());
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
        tick();
        Thread.currentThread().setUncaughtExceptionHandler(null);
        assertThat(uncaught).singleElement(THROWABLE).hasMessageStartingWith("heard");
        assertThat(workers.made).hasValue(1);
        assertThat(workers.disposed).hasValue(1);
    }

    /** Breaks §2.13 of Reactive Streams at the end. */
    private static final class Throwing implements Subscriber<Integer> {

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Integer element) {}

        @Override
        public void onError(Throwable error) {
            throw new IllegalStateException("heard that it failed");
        }

        @Override
        public void onComplete() {
            throw new IllegalStateException("heard that it is complete");
        }
    }
}
