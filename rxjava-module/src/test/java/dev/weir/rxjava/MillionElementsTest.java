package dev.weir.rxjava;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.functions.Consumer;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MillionElementsTest {

    private static final int MILLION = 1_000_000;
    private static final Integer ELEMENT = 1;
    private static final RateLimiter UNLIMITED = RateLimiter.of(Limit.unlimited());
    private static final RateLimiter HUGE =
            RateLimiter.of(Limit.tokenBucket(1_000_000_000, 1_000_000_000, ofSeconds(1)));

    @RegisterExtension
    final Plugins plugins = Plugins.withRealTime();

    @Test
    @DisplayName("a million elements through a flowable: no stack, no allocation for each")
    void flowable() {
        StreamOptions options = StreamOptions.defaults();
        assertThrifty(
                (source, each) -> source.compose(RateLimit.with(UNLIMITED)).subscribe(each));
        assertThrifty((source, each) -> source.compose(RateLimit.with(HUGE)).subscribe(each));
        assertThrifty((source, each) ->
                source.hide().compose(RateLimit.with(UNLIMITED)).subscribe(each));
        assertThrifty((source, each) -> source.hide()
                .compose(RateLimit.with(UNLIMITED, options.prefetch(128)))
                .subscribe(each));
        assertThrifty((source, each) ->
                source.compose(RateLimit.with(HUGE, options.buffer(10))).subscribe(each));
        assertThrifty((source, each) ->
                source.compose(RateLimit.weighted(HUGE, item -> 1)).subscribe(each));
    }

    @Test
    @DisplayName("a million elements through an observable: no stack, no allocation for each")
    void observable() {
        assertThrifty((source, each) ->
                source.toObservable().compose(RateLimit.with(UNLIMITED)).subscribe(each));
    }

    /** The source boxes nothing of its own beyond what is cached. */
    private static Flowable<Integer> repeated(int times) {
        return Flowable.fromIterable(Collections.nCopies(times, ELEMENT));
    }

    private interface Run {

        Disposable run(Flowable<Integer> source, Consumer<Integer> each);
    }

    private static void assertThrifty(Run run) {
        run.run(repeated(1000), item -> {}).dispose(); // loads the classes
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        AtomicInteger received = new AtomicInteger();
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        Disposable ran = run.run(repeated(MILLION), item -> received.incrementAndGet());
        long spent = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        assertThat(ran.isDisposed()).isTrue();
        assertThat(received).hasValue(MILLION);
        assertThat(spent).as("bytes for a million elements").isLessThan(4 * MILLION);
    }

    @Test
    @DisplayName("asked for one at a time, from within onNext: re-entry is flattened")
    void oneAtATime() {
        AtomicInteger received = new AtomicInteger();
        TestSubscriber<Integer> subscriber = new TestSubscriber<>(1) {
            @Override
            public void onNext(Integer item) {
                received.incrementAndGet();
                request(1);
            }
        };
        repeated(MILLION).hide().compose(RateLimit.with(UNLIMITED)).subscribe(subscriber);
        assertThat(received).hasValue(MILLION);
        subscriber.assertComplete();
    }

    @Test
    @DisplayName("a hundred thousand calls in a row")
    void calls() {
        AtomicInteger called = new AtomicInteger();
        Single.fromCallable(called::incrementAndGet)
                .compose(RateLimit.with(UNLIMITED))
                .repeat(100_000)
                .test()
                .assertComplete();
        assertThat(called).hasValue(100_000);
    }

    @Test
    @DisplayName("ten thousand streams on one limiter: one pending timer, linear time")
    void tenThousandStreams() {
        Minute minute = new Minute().exhausted();
        int streams = 10_000;
        RateLimiter many = RateLimiter.builder(Limit.of(streams, ofSeconds(60)))
                .timeSource(minute.time)
                .build();
        AtomicInteger received = new AtomicInteger();
        AtomicInteger completed = new AtomicInteger();
        for (int stream = 0; stream < streams; stream++) {
            Flowable.range(0, 3)
                    .compose(RateLimit.with(many, minute.options))
                    .doOnNext(item -> received.incrementAndGet())
                    .doOnComplete(completed::incrementAndGet)
                    .test()
                    .assertNoErrors();
        }
        assertThat(minute.time.pendingTasks()).isEqualTo(1);
        for (int pass = 0; pass < 3; pass++) {
            minute.pass();
        }
        assertThat(received).hasValue(3 * streams);
        assertThat(completed).hasValue(streams);
    }
}
