package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** A limiter on a scheduler that takes no tasks. */
class RejectingTimerTest {

    @ParameterizedTest
    @MethodSource("dev.weir.reactor.HooksTest#rejections")
    @DisplayName(
            "streams and calls that have to wait fail, whatever it throws, also where refused elements are dropped")
    void failsWhoHasToWait(Throwable rejection) {
        for (OnRefused choice : OnRefused.values()) {
            StreamOptions options =
                    StreamOptions.defaults().emitOn(Runnable::run).onRefused(choice);
            RateLimiter limiter = RateLimiter.builder(Limit.of(1, Duration.ofSeconds(1)))
                    .timeSource(ReactorTime.ofTimed(new Rejecting(rejection)))
                    .build();
            Ledger<Integer> stream = Ledger.unbounded();
            Flux.range(1, 2)
                    .transform(RateLimit.with(limiter, stream.options(options)))
                    .subscribe(stream);
            assertThat(stream.received()).containsExactly(1);
            assertThat(stream.dropped()).containsExactly(2);
            assertThat(stream.error)
                    .as("with %s", choice)
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasRootCause(rejection);
            Ledger<Integer> call = Ledger.unbounded();
            Mono.just(1).transform(RateLimit.with(limiter, options)).subscribe(call);
            assertThat(call.error)
                    .as("a call, with %s", choice)
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasRootCause(rejection);
        }
    }

    /** Stands still, and throws whatever it is given. */
    private record Rejecting(Throwable rejection) implements Scheduler {

        @Override
        public long now(TimeUnit unit) {
            return 0;
        }

        @Override
        public Disposable schedule(Runnable task) {
            if (rejection instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) rejection;
        }

        @Override
        public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
            return schedule(task);
        }

        @Override
        public Worker createWorker() {
            throw new UnsupportedOperationException();
        }
    }
}
