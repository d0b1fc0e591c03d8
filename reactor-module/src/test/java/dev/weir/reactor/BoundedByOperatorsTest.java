package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Operators behind the limit that end a wait for permits. */
class BoundedByOperatorsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StreamOptions HERE = StreamOptions.defaults().emitOn(Runnable::run);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final AtomicInteger calls = new AtomicInteger();

    private Mono<Integer> call(RateLimiter limiter) {
        return Mono.fromCallable(calls::incrementAndGet).transform(RateLimit.with(limiter, HERE));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName(
            "firstWithSignal: the loser is never called, whether it still waits or has just been granted its permit")
    void firstWithSignal(int permits) {
        RateLimiter limiter = Ledger.exhausted(time, permits, SECOND);
        Ledger<Integer> first = Ledger.unbounded();
        Mono.firstWithSignal(call(limiter), call(limiter)).subscribe(first);
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(2);

        time.advanceBy(SECOND);

        assertThat(first.received()).containsExactly(1);
        assertThat(calls).hasValue(1);
        assertThat(limiter.statistics().queuedPermits()).isZero();
        assertThat(limiter.availablePermits()).isEqualTo(permits - 1);
    }

    @Test
    @DisplayName("take(Duration): a stream and a call that wait end in time, and leave nothing at the limiter")
    void take() {
        RateLimiter limiter = Ledger.exhausted(time, 1, SECOND);
        VirtualTimeScheduler timer = VirtualTimeScheduler.create();
        Ledger<Integer> stream = Ledger.unbounded();
        Ledger<Integer> called = Ledger.unbounded();
        Flux.range(1, 3)
                .transform(RateLimit.with(limiter, HERE))
                .take(SECOND.dividedBy(2), timer)
                .subscribe(stream);
        call(limiter).take(SECOND.dividedBy(2), timer).subscribe(called);
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(2);

        timer.advanceTimeBy(SECOND.dividedBy(2));

        assertThat(stream.completed && called.completed).isTrue();
        assertThat(limiter.statistics().queuedPermits()).isZero();
        time.advanceBy(SECOND);
        assertThat(stream.received()).isEmpty();
        assertThat(calls).hasValue(0);
        assertThat(limiter.availablePermits()).isOne();
    }
}
