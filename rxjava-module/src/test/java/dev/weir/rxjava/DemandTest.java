package dev.weir.rxjava;

import static java.time.Duration.ofSeconds;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.exceptions.QueueOverflowException;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Demand, permits and time: what is asked of whom, and when. */
class DemandTest {

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final Minute minute = new Minute();

    @Test
    @DisplayName("demand without end is not passed on: the source is asked for one element at a time")
    void unboundedDemandIsNotPassedOn() {
        Asked<Integer> source = new Asked<>();
        TestSubscriber<Integer> subscriber =
                source.compose(RateLimit.with(minute.limiter, minute.options)).test();
        assertThat(source.requests()).containsExactly(1L);
        source.send(1);
        assertThat(source.requests()).containsExactly(1L, 1L);
        source.send(2);
        assertThat(source.requests()).as("while one waits").containsExactly(1L, 1L);
        minute.pass();
        assertThat(source.requests()).containsExactly(1L, 1L, 1L);
        subscriber.assertValues(1, 2);
    }

    @Test
    @DisplayName("nothing is read of the source that nobody asked for")
    void nothingIsReadWithoutDemand() {
        Asked<Integer> source = new Asked<>();
        TestSubscriber<Integer> subscriber =
                source.compose(RateLimit.with(minute.limiter, minute.options)).test(0);
        assertThat(source.requests()).isEmpty();
        subscriber.request(1);
        source.send(1);
        assertThat(source.requests()).containsExactly(1L);
        subscriber.assertValues(1);
    }

    @Test
    @DisplayName("read-ahead is asked for at once, refilled at three quarters, and never exceeded")
    void prefetch() {
        Asked<Integer> source = new Asked<>();
        RateLimiter unlimited = RateLimiter.of(Limit.unlimited());
        TestSubscriber<Integer> subscriber = source.compose(RateLimit.with(unlimited, minute.options.prefetch(4)))
                .test(0);
        assertThat(source.requests()).containsExactly(4L);
        source.send(1, 2, 3, 4);
        subscriber.request(2);
        assertThat(source.requests()).containsExactly(4L);
        subscriber.request(1);
        assertThat(source.requests()).containsExactly(4L, 3L);
        subscriber.assertValues(1, 2, 3);
    }

    @Test
    @DisplayName("no permit is taken for an element that nobody asked for")
    void noPermitWithoutDemand() {
        TestSubscriber<Integer> subscriber = Flowable.range(1, 5)
                .compose(RateLimit.with(minute.limiter, minute.options.prefetch(5)))
                .test(0);
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);
        assertThat(minute.limiter.statistics().queuedPermits()).isZero();
        subscriber.request(1);
        subscriber.assertValues(1);
        assertThat(minute.limiter.statistics().queuedPermits())
                .as("without demand")
                .isZero();
        minute.pass();
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("no permit is taken for demand without an element")
    void noPermitWithoutAnElement() {
        Flowable.never()
                .compose(RateLimit.with(minute.limiter, minute.options))
                .test()
                .assertEmpty();
        assertThat(minute.limiter.availablePermits()).isEqualTo(1);
        assertThat(minute.limiter.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("demand that comes late does not burst: what was not asked for saved nothing up")
    void lateDemandDoesNotBurst() {
        List<Long> times = new ArrayList<>();
        TestSubscriber<Integer> subscriber = Flowable.range(0, 10)
                .compose(RateLimit.of(2, ofSeconds(1)))
                .doOnNext(item -> times.add(plugins.scheduler().now(MILLISECONDS)))
                .test(0);
        plugins.scheduler().advanceTimeBy(60, SECONDS);
        subscriber.request(5);
        plugins.scheduler().advanceTimeBy(10, SECONDS);
        assertThat(times).containsExactly(60_000L, 60_000L, 61_000L, 61_000L, 62_000L);
    }

    @Test
    @DisplayName("demand is honoured when time is on: never more than was asked for")
    void neverMoreThanAskedFor() {
        TestSubscriber<Integer> subscriber =
                Flowable.range(0, 100).compose(RateLimit.of(5, ofSeconds(1))).test(7);
        plugins.scheduler().advanceTimeBy(60, SECONDS);
        subscriber.assertValueCount(7).assertNotComplete();
        subscriber.request(1);
        subscriber.assertValueCount(8);
    }

    @Test
    @DisplayName("an idle source neither overflows nor saves permits up")
    void idleSource() {
        Asked<Integer> source = new Asked<>();
        TestSubscriber<Integer> subscriber =
                source.compose(RateLimit.of(2, ofSeconds(1))).test();
        plugins.scheduler().advanceTimeBy(600, SECONDS);
        source.send(1, 2);
        subscriber.assertValues(1, 2);
        source.send(3);
        subscriber.assertValues(1, 2);
        plugins.scheduler().advanceTimeBy(1, SECONDS);
        subscriber.assertValues(1, 2, 3).assertNoErrors();
    }

    @Test
    @DisplayName("a limiter has one timer pending, however many streams wait and request")
    void oneTimer() {
        List<TestSubscriber<Integer>> subscribers = new ArrayList<>();
        for (int stream = 0; stream < 100; stream++) {
            subscribers.add(Flowable.range(0, 1000)
                    .compose(RateLimit.with(minute.limiter, minute.options))
                    .test());
        }
        assertThat(minute.time.pendingTasks()).isEqualTo(1);
        subscribers.forEach(TestSubscriber::cancel);
        assertThat(minute.limiter.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("a source that sends more than it was asked for ends the stream with an error, after what is held")
    void overrunPrefetch() {
        Asked<Integer> source = new Asked<>();
        TestSubscriber<Integer> subscriber =
                source.compose(RateLimit.with(minute.limiter, minute.options)).test();
        source.send(1, 2, 3);
        assertThat(source.isCancelled()).isTrue();
        assertThat(minute.dropped).containsExactly(3);
        minute.pass();
        subscriber
                .assertValues(1, 2)
                .assertError(error -> error instanceof QueueOverflowException
                        && error.getMessage().contains("more elements than were requested")
                        && error.getMessage().contains("StreamOptions.buffer(n)"));
    }

    @Test
    @DisplayName("timers that come late are made up for: the rate is that of the limit")
    void lateTimersAreMadeUpFor() {
        TestSubscriber<Integer> subscriber = Flowable.range(0, 100_000)
                .compose(RateLimit.of(Limit.tokenBucket(20, 1000, ofSeconds(1))))
                .test();
        for (int wakeUp = 0; wakeUp < 1000; wakeUp++) {
            plugins.scheduler().advanceTimeBy(7, MILLISECONDS); // late for six of seven permits
        }
        assertThat(subscriber.values().size()).isBetween(7000, 7020);
    }

    @Test
    @DisplayName("a rate that does not divide the second is not cut down: 3, 7, 300 a second")
    void ratesThatDoNotDivideTheSecond() {
        for (int rate : new int[] {3, 7, 300}) {
            TestSubscriber<Integer> subscriber = Flowable.range(0, 1_000_000)
                    .compose(RateLimit.of(Limit.tokenBucket(1, rate, ofSeconds(1))))
                    .test();
            plugins.scheduler().advanceTimeBy(100, SECONDS);
            assertThat(subscriber.values()).as("%s a second", rate).hasSize(100 * rate + 1);
            subscriber.cancel();
        }
    }

    @Test
    @DisplayName("a subscriber that filters and does not take an element uses no demand; the permit is spent")
    void conditionalSubscriber() {
        TestSubscriber<Integer> subscriber = Flowable.range(1, 4)
                .compose(RateLimit.with(minute.limiter, minute.options))
                .filter(item -> item % 2 == 0)
                .test(1);
        subscriber.assertNoValues();
        minute.pass();
        subscriber.assertValues(2);
        minute.time.advanceBy(Duration.ofMinutes(10));
        subscriber.assertValues(2);
        subscriber.request(1);
        minute.pass();
        subscriber.assertValues(2, 4);
    }
}
