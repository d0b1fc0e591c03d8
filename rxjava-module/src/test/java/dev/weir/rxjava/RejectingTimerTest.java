package dev.weir.rxjava;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A limiter on a scheduler that takes no tasks. */
class RejectingTimerTest {

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    static Stream<Throwable> rejections() {
        return Stream.of(
                new RejectedExecutionException("no more"),
                new IllegalStateException("closed"),
                new OutOfMemoryError("no more threads"));
    }

    @ParameterizedTest
    @MethodSource("rejections")
    @DisplayName(
            "streams and calls that have to wait fail, whatever it throws, also where refused elements are dropped")
    void failsWhoHasToWait(Throwable rejection) {
        for (OnRefused choice : OnRefused.values()) {
            StreamOptions options =
                    StreamOptions.defaults().emitOn(Runnable::run).onRefused(choice);
            RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofSeconds(1)))
                    .timeSource(RxTime.of(new Rejecting(rejection)))
                    .build();
            Flowable.range(1, 2)
                    .compose(RateLimit.with(limiter, options))
                    .test()
                    .assertFailure(RejectedExecutionException.class, 1);
            Observable.range(1, 2)
                    .compose(RateLimit.with(limiter, options))
                    .test()
                    .assertFailure(RejectedExecutionException.class);
            Maybe.just(1)
                    .compose(RateLimit.with(limiter, options))
                    .test()
                    .assertFailure(RejectedExecutionException.class);
        }
    }

    /** Stands still, and throws whatever it is given. */
    private static final class Rejecting extends Scheduler {

        private final Throwable rejection;

        Rejecting(Throwable rejection) {
            this.rejection = rejection;
        }

        @Override
        public long now(TimeUnit unit) {
            return 0;
        }

        @Override
        public Disposable scheduleDirect(Runnable task, long delay, TimeUnit unit) {
            if (rejection instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) rejection;
        }

        @Override
        public Worker createWorker() {
            throw new UnsupportedOperationException();
        }
    }
}
