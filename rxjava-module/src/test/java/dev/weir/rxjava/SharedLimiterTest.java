package dev.weir.rxjava;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.EmissionTimes;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Streams that share a limiter with each other and with whoever else has it; and what elements cost there. */
class SharedLimiterTest {

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final Minute minute = new Minute();

    private RateLimiter limiter(int permits) {
        return RateLimiter.builder(Limit.of(permits, ofMinutes(1)))
                .timeSource(minute.time)
                .build();
    }

    @Test
    @DisplayName("streams that share a limiter take turns, whatever they have to send, and none starves")
    void turns() {
        minute.exhausted();
        List<String> order = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            Flowable.range(0, 3)
                    .compose(RateLimit.with(minute.limiter, minute.options.prefetch(3)))
                    .doOnNext(item -> order.add(name + item))
                    .test()
                    .assertEmpty();
        }
        for (int wait = 0; wait < 9; wait++) {
            minute.pass();
        }
        assertThat(order).containsExactly("a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2");
    }

    @Test
    @DisplayName("together they keep the limit, calls and elements and others alike")
    void together() {
        RateLimiter five = limiter(5);
        EmissionTimes emitted = EmissionTimes.record(minute.time);
        List<TestSubscriber<?>> subscribers = new ArrayList<>();
        for (int stream = 0; stream < 4; stream++) {
            subscribers.add(Flowable.range(0, 10)
                    .compose(RateLimit.with(five, minute.options))
                    .doOnNext(item -> emitted.add())
                    .test());
            subscribers.add(Single.fromCallable(() -> {
                        emitted.add();
                        return 1;
                    })
                    .compose(RateLimit.with(five, minute.options))
                    .repeat(10)
                    .test());
        }
        for (int wait = 0; wait < 16; wait++) {
            minute.pass();
        }
        subscribers.forEach(TestSubscriber::assertComplete);
        assertThat(emitted.count()).isEqualTo(80);
        emitted.neverExceeds(5, ofMinutes(1));
        assertThat(emitted.sinceFirst().get(79)).isEqualTo(ofMinutes(15));
    }

    @Test
    @DisplayName("applied once and subscribed often, a given limiter is shared by all subscriptions")
    void appliedOnce() {
        Flowable<Integer> limited = Flowable.just(1).compose(RateLimit.with(minute.limiter, minute.options));
        limited.test().assertResult(1);
        TestSubscriber<Integer> second = limited.test();
        second.assertEmpty();
        minute.pass();
        second.assertResult(1);
    }

    @Test
    @DisplayName("retry inside flatMap pays for every attempt")
    void retryInsideFlatMap() {
        AtomicInteger attempts = new AtomicInteger();
        TestSubscriber<Object> subscriber = Flowable.range(0, 2)
                .flatMapSingle(
                        item -> Single.error(() -> new IllegalStateException("attempt " + attempts.incrementAndGet()))
                                .compose(RateLimit.with(minute.limiter, minute.options))
                                .retry(2)
                                .onErrorReturnItem("given up"))
                .test();
        for (int expected = 1; expected < 6; expected++) {
            assertThat(attempts).hasValue(expected);
            minute.pass();
        }
        assertThat(attempts).hasValue(6);
        subscriber.assertResult("given up", "given up");
    }

    @Test
    @DisplayName(
            "each element takes what it costs, in order: a small one does not overtake a large one; zero is free, in"
                    + " its order")
    void costs() {
        RateLimiter ten = limiter(10);
        AtomicInteger computed = new AtomicInteger();
        TestSubscriber<Integer> subscriber = Flowable.just(6, 0, 7, 0, 1)
                .compose(RateLimit.weighted(
                        ten,
                        item -> {
                            computed.incrementAndGet();
                            return item;
                        },
                        minute.options.prefetch(5)))
                .test();
        subscriber.assertValues(6, 0);
        assertThat(ten.availablePermits()).isEqualTo(4);
        minute.pass();
        subscriber.assertResult(6, 0, 7, 0, 1);
        assertThat(ten.availablePermits()).isEqualTo(2);
        assertThat(computed).as("once for each element").hasValue(5);
    }

    @Test
    @DisplayName("a limit of concurrency on elements: the lease is closed when the subscriber has returned")
    void concurrency() {
        RateLimiter one = RateLimiter.of(Limit.concurrency(1));
        List<Long> available = new ArrayList<>();
        Flowable.range(0, 3)
                .compose(RateLimit.with(one, minute.options))
                .doOnNext(item -> available.add(one.availablePermits()))
                .test()
                .assertResult(0, 1, 2);
        assertThat(available).containsExactly(0L, 0L, 0L);
        assertThat(one.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("the limiter of a real clock keeps real time, also where the scheduler is virtual")
    void realClock() {
        RateLimiter real = RateLimiter.of(1, ofMinutes(10));
        TestSubscriber<Integer> subscriber =
                Flowable.range(0, 2).compose(RateLimit.with(real)).test();
        plugins.scheduler().advanceTimeBy(1, TimeUnit.HOURS);
        subscriber.assertValues(0);
        subscriber.cancel();
        assertThat(real.statistics().queuedPermits()).isZero();
        assertThat(Schedulers.computation()).isSameAs(plugins.scheduler());
    }

    @Test
    @DisplayName("a cost of zero passes also while the limiter is paused, and when it is closed")
    void zeroAsksNobody() {
        RateLimit<Integer> weighted = RateLimit.weighted(minute.limiter, cost -> cost, minute.options);
        minute.limiter.pauseFor(ofMinutes(1));
        Flowable.just(0, 0, 1).compose(weighted).test().assertValuesOnly(0, 0);
        minute.limiter.close();
        Flowable.just(0, 0, 1).compose(weighted).test().assertFailure(IllegalStateException.class, 0, 0);
    }
}
