package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Elements that cost more than one permit, or none. An element is its own cost. */
class WeightedTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StreamOptions HERE = StreamOptions.defaults().emitOn(Runnable::run);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter = Ledger.limiter(time, 5, SECOND);

    private Ledger<Integer> subscribe(Flux<Integer> source, StreamOptions options) {
        Ledger<Integer> ledger = Ledger.unbounded();
        source.transform(RateLimit.weighted(limiter, cost -> cost, ledger.options(options)))
                .subscribe(ledger);
        return ledger;
    }

    @Test
    @DisplayName("each element takes what it costs, in order: a small one does not overtake a large one")
    void takesWhatItCosts() {
        Ledger<Integer> ledger = subscribe(Flux.just(3, 2, 4, 1, 5), HERE.prefetch(5));
        assertThat(ledger.received()).containsExactly(3, 2);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(3, 2, 4, 1);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(3, 2, 4, 1, 5);
        assertThat(ledger.completed).isTrue();
    }

    @Test
    @DisplayName("a cost of zero passes without asking, in its order")
    void zeroPasses() {
        Ledger<Integer> ledger = subscribe(Flux.just(5, 0, 0, 1, 0), HERE.prefetch(5));
        assertThat(ledger.received()).containsExactly(5, 0, 0);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(5, 0, 0, 1, 0);
    }

    @Test
    @DisplayName("a cost is computed once, on arrival")
    void computedOnce() {
        AtomicInteger computed = new AtomicInteger();
        Flux.range(1, 4)
                .transform(RateLimit.weighted(limiter, cost -> computed.addAndGet(1) * 0 + cost, HERE.prefetch(4)))
                .subscribe();
        assertThat(computed).hasValue(4);
        time.advanceBy(SECOND.multipliedBy(5));
        assertThat(computed).hasValue(4);
    }

    @Test
    @DisplayName("a cost below zero or above the capacity fails the stream, after what is held")
    void impossibleCosts() {
        Ledger<Integer> tooMuch = subscribe(Flux.just(5, 5, 6, 1), HERE.prefetch(4));
        assertThat(tooMuch.error).isNull();
        time.advanceBy(SECOND);
        assertThat(tooMuch.received()).containsExactly(5, 5);
        assertThat(tooMuch.error).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("6");
        assertThat(tooMuch.dropped()).containsExactly(6);

        Ledger<Integer> negative = subscribe(Flux.just(-1), HERE);
        assertThat(negative.error).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("-1");
    }

    @Test
    @DisplayName("newest first: what is taken is the price of the element that leaves")
    void priceOfTheElementThatLeaves() {
        limiter.tryAcquire(5);
        ManualSource<Integer> source = new ManualSource<>();
        Ledger<Integer> ledger = subscribe(source, HERE.buffer(5).order(QueueOrder.NEWEST_FIRST));
        source.next(5);
        source.next(2);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(2);
        assertThat(limiter.availablePermits()).isEqualTo(3);
        source.next(1);
        assertThat(ledger.received()).as("queues behind the five that waits").containsExactly(2);
        source.next(4);
        time.advanceBy(SECOND.multipliedBy(5));
        assertThat(ledger.received()).containsExactly(2, 4, 1, 5);
    }

    @Test
    @DisplayName("a dearer newest element never makes more pass than the limit allows")
    void dearerNewest() {
        limiter.tryAcquire(5);
        ManualSource<Integer> source = new ManualSource<>();
        Ledger<Integer> ledger = subscribe(source, HERE.buffer(5).order(QueueOrder.NEWEST_FIRST));
        source.next(1);
        source.next(5);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(5);
        assertThat(limiter.availablePermits()).isZero();
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(5, 1);
        assertThat(limiter.statistics().acquired()).isEqualTo(3);
    }

    @Test
    @DisplayName("the element of a mono is gated, as its cost is known from nothing else")
    void mono() {
        Ledger<Integer> ledger = Ledger.unbounded();
        limiter.tryAcquire(3);
        Mono.just(4).transform(RateLimit.weighted(limiter, cost -> cost, HERE)).subscribe(ledger);
        assertThat(ledger.received()).isEmpty();
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(4);
        assertThat(ledger.completed).isTrue();
    }
}
