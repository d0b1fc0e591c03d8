package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink.OverflowStrategy;

/** A source hears once that nothing more is wanted of it: what stands beside it, as {@code doOnCancel}, counts. */
class CancelledOnceTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StreamOptions HERE = StreamOptions.defaults().emitOn(Runnable::run);

    private final AtomicInteger cancels = new AtomicInteger();

    private static RateLimiter limiter() {
        return Ledger.limiter(new VirtualTimeSource(), 2, SECOND);
    }

    private Ledger<Integer> subscribe(Flux<Integer> source, RateLimit<Integer> limit) {
        Ledger<Integer> ledger = Ledger.unbounded();
        source.doOnCancel(cancels::incrementAndGet).transform(limit).subscribe(ledger);
        return ledger;
    }

    static Stream<Named<RateLimit<Integer>>> limits() {
        return Stream.of(
                Named.of("own", RateLimit.of(Limit.of(2, SECOND), HERE)),
                Named.of("shared", RateLimit.with(limiter(), HERE)),
                Named.of("with a buffer", RateLimit.with(limiter(), HERE.buffer(100))),
                Named.of(
                        "a cost of 3 after two of 1",
                        RateLimit.weighted(limiter(), i -> i < 3 ? 1 : 3, HERE.buffer(100))),
                Named.of("a buffer that is too small", RateLimit.with(limiter(), HERE.buffer(1))),
                Named.of("a call", RateLimit.perSubscription(limiter(), HERE)));
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("when downstream cancels, also if the source was cancelled already and its elements are still held")
    void cancelled(RateLimit<Integer> limit) {
        subscribe(numbers(9), limit).cancel();
        assertThat(cancels).hasValue(1);
    }

    @Test
    @DisplayName("when the call of a mono is cancelled")
    void call() {
        Ledger<Integer> ledger = Ledger.unbounded();
        Flux.<Integer>never()
                .doOnCancel(cancels::incrementAndGet)
                .singleOrEmpty()
                .transform(RateLimit.with(limiter(), HERE))
                .subscribe(ledger);
        ledger.cancel();
        assertThat(cancels).hasValue(1);
    }

    @Test
    @DisplayName("when a call is cancelled from within a source that emits at once")
    void callFromWithin() {
        numbers(9)
                .doOnCancel(cancels::incrementAndGet)
                .transform(RateLimit.perSubscription(limiter(), HERE))
                .take(1)
                .subscribe();
        assertThat(cancels).hasValue(1);
    }

    @Test
    @DisplayName("when there is no room, or no cost")
    void failed() {
        assertThat(subscribe(numbers(4), RateLimit.weighted(limiter(), i -> -1, HERE)).error)
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(cancels.getAndSet(0)).isEqualTo(1);
        assertThat(subscribe(
                                numbers(4),
                                RateLimit.with(limiter(), HERE.buffer(1).errorsCutAhead()))
                        .error)
                .isInstanceOf(IllegalStateException.class);
        assertThat(cancels).hasValue(1);
    }

    /** Sends without being asked, and does not end. */
    private static Flux<Integer> numbers(int count) {
        return Flux.create(
                sink -> {
                    for (int i = 1; i <= count; i++) {
                        sink.next(i);
                    }
                },
                OverflowStrategy.IGNORE);
    }
}
