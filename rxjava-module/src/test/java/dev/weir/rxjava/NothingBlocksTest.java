package dev.weir.rxjava;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import io.reactivex.rxjava3.core.BackpressureStrategy;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.blockhound.BlockingOperationError;

/** Under BlockHound, as all tests here. */
class NothingBlocksTest {

    @RegisterExtension
    final Plugins plugins = Plugins.withRealTime();

    @Test
    @DisplayName("blocking on a computation thread is seen")
    void blockingIsSeen() {
        Single.fromCallable(() -> new CountDownLatch(1).await(10, TimeUnit.SECONDS))
                .subscribeOn(Schedulers.computation())
                .test()
                .awaitDone(20, TimeUnit.SECONDS)
                .assertFailure(BlockingOperationError.class);
    }

    @Test
    @DisplayName("many streams of all kinds contend for one limiter on computation threads, and nothing blocks")
    void contended() {
        RateLimiter shared = RateLimiter.of(Limit.slidingWindowLog(20, ofMillis(2)));
        StreamOptions lossy = StreamOptions.defaults().buffer(3).whenFull(WhenFull.EVICT_OLDEST);
        List<TestSubscriber<?>> subscribers = new ArrayList<>();
        for (int stream = 0; stream < 8; stream++) {
            subscribers.add(Flowable.range(0, 200)
                    .subscribeOn(Schedulers.computation())
                    .compose(RateLimit.with(shared))
                    .observeOn(Schedulers.computation(), false, 1)
                    .test());
            subscribers.add(Flowable.range(0, 100)
                    .subscribeOn(Schedulers.computation())
                    .compose(RateLimit.of(20, ofMillis(2)))
                    .test());
            subscribers.add(Observable.range(0, 200)
                    .subscribeOn(Schedulers.computation())
                    .compose(RateLimit.with(shared, lossy))
                    .toFlowable(BackpressureStrategy.ERROR)
                    .test());
            subscribers.add(Single.just(1)
                    .subscribeOn(Schedulers.computation())
                    .compose(RateLimit.with(shared))
                    .repeat(100)
                    .test());
        }
        for (TestSubscriber<?> subscriber : subscribers) {
            subscriber.awaitDone(30, TimeUnit.SECONDS).assertNoErrors().assertComplete();
        }
        assertThat(shared.statistics().queuedPermits()).isZero();
    }
}
