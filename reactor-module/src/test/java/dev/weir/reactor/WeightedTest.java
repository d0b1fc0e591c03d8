package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartitionedRateLimiter;
import dev.weir.PermitRequest;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
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
    @DisplayName("a cost of zero passes also while the limiter is paused, and when it is closed")
    void zeroAsksNobody() {
        limiter.pauseFor(SECOND);
        assertThat(subscribe(Flux.just(0, 0, 1), HERE).received()).containsExactly(0, 0);
        limiter.close();
        Ledger<Integer> ledger = subscribe(Flux.just(0, 0, 1), HERE);
        assertThat(ledger.received()).containsExactly(0, 0);
        assertThat(ledger.error).isInstanceOf(IllegalStateException.class);
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
        assertThat(tooMuch.error)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("6")
                .hasMessageContaining(limiter.limit().toString());
        assertThat(tooMuch.dropped()).containsExactly(6);

        Ledger<Integer> negative = subscribe(Flux.just(-1), HERE);
        assertThat(negative.error)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1")
                .hasMessageContaining(limiter.limit().toString());
    }

    @Test
    @DisplayName("an element too large since the limit changed is refused, while it waits or queues")
    void fitsNoMore() {
        StreamOptions dropping = HERE.prefetch(5).onRefused(OnRefused.DROP);
        Ledger<Integer> dropped = subscribe(Flux.just(5, 4, 1, 4, 2), dropping);
        Ledger<Integer> failed = subscribe(Flux.just(1, 4, 1), HERE.prefetch(3));
        limiter.reconfigure(Limit.of(3, SECOND));
        time.advanceBy(SECOND.multipliedBy(5));
        assertThat(dropped.received()).containsExactly(5, 1, 2);
        assertThat(dropped.dropped()).containsExactly(4, 4);
        assertThat(dropped.completed).isTrue();
        assertThat(failed.received()).containsExactly(1);
        assertThat(failed.error).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("4");
        assertThat(failed.dropped()).containsExactly(4, 1);
    }

    @Test
    @DisplayName("newest first: what is asked for and taken is the price of the element that leaves")
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
        source.next(0);
        assertThat(ledger.received()).as("fit beside the five that waits").containsExactly(2, 1, 0);
        source.next(4);
        time.advanceBy(SECOND.multipliedBy(5));
        assertThat(ledger.received()).containsExactly(2, 1, 0, 4, 5);
        assertThat(limiter.statistics().refused()).isZero();
        assertThat(limiter.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("newest first: a permit that is on its way pays for a cheaper newcomer, and the rest goes back")
    void cheaperAfterTheGrant() {
        limiter.tryAcquire(5);
        Queue<Runnable> line = new ArrayDeque<>();
        ManualSource<Integer> source = new ManualSource<>();
        Ledger<Integer> ledger =
                subscribe(source, HERE.buffer(5).order(QueueOrder.NEWEST_FIRST).emitOn(line::add));
        source.next(5);
        time.advanceBy(SECOND);
        source.next(2);
        runAll(line);
        assertThat(ledger.received()).containsExactly(2);
        assertThat(limiter.availablePermits()).isEqualTo(3);
        time.advanceBy(SECOND);
        runAll(line);
        assertThat(ledger.received()).containsExactly(2, 5);
    }

    @Test
    @DisplayName(
            "newest first: what is refused is the element that asked, not one that came while the answer was on its way")
    void refusedIsWhoAsked() {
        limiter.tryAcquire(5);
        Queue<Runnable> line = new ArrayDeque<>();
        ManualSource<Integer> source = new ManualSource<>();
        Ledger<Integer> ledger = subscribe(
                source,
                HERE.buffer(5)
                        .order(QueueOrder.NEWEST_FIRST)
                        .onRefused(OnRefused.DROP)
                        .emitOn(line::add));
        source.next(4);
        limiter.reconfigure(Limit.of(3, SECOND));
        assertThat(line).as("4 can never go").hasSize(1);
        source.next(1);
        runAll(line);
        assertThat(ledger.dropped()).containsExactly(4);
        time.advanceBy(SECOND);
        runAll(line);
        assertThat(ledger.received()).containsExactly(1);
        assertThat(ledger.dropped()).containsExactly(4);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a refusal that finds its element evicted drops no other, and fails no stream")
    void refusedAfterEviction(OnRefused onRefused) {
        RateLimiter crowded = RateLimiter.builder(Limit.of(1, SECOND))
                .timeSource(time)
                .queueLimit(1)
                .queueOrder(QueueOrder.NEWEST_FIRST)
                .build();
        crowded.tryAcquire();
        Queue<Runnable> line = new ArrayDeque<>();
        ManualSource<Integer> source = new ManualSource<>();
        Ledger<Integer> ledger = Ledger.unbounded();
        StreamOptions options = HERE.buffer(1)
                .whenFull(WhenFull.EVICT_OLDEST)
                .onRefused(onRefused)
                .emitOn(line::add);
        source.transform(RateLimit.with(crowded, ledger.options(options))).subscribe(ledger);
        source.next(1);
        PermitRequest newer = crowded.acquire(1, lease -> {});
        assertThat(line).as("1 is refused, as another takes its place").hasSize(1);
        newer.cancel();
        source.next(2);
        assertThat(ledger.dropped()).containsExactly(1);
        runAll(line);
        time.advanceBy(SECOND);
        runAll(line);
        assertThat(ledger.received()).containsExactly(2);
        assertThat(ledger.dropped()).containsExactly(1);
        assertThat(ledger.error).isNull();
    }

    @Test
    @DisplayName(
            "a dearer element that takes the place of another waits no longer than it may: it is refused when that is clear")
    void dearerThanItMayWaitFor() {
        for (StreamOptions taking : List.of(
                HERE.buffer(1).whenFull(WhenFull.EVICT_OLDEST), HERE.buffer(2).order(QueueOrder.NEWEST_FIRST))) {
            VirtualTimeSource clock = new VirtualTimeSource();
            RateLimiter slow = RateLimiter.builder(Limit.tokenBucket(10, 1, SECOND))
                    .timeSource(clock)
                    .build();
            slow.tryAcquire(10);
            ManualSource<Integer> source = new ManualSource<>();
            Ledger<Integer> ledger = Ledger.unbounded();
            StreamOptions options = taking.maxWait(SECOND.multipliedBy(8)).onRefused(OnRefused.DROP);
            source.transform(RateLimit.weighted(slow, cost -> cost, ledger.options(options)))
                    .subscribe(ledger);
            source.next(1);
            source.next(9);
            assertThat(ledger.dropped()).contains(9);
            source.next(8);
            clock.advanceBy(SECOND.multipliedBy(8));
            assertThat(ledger.received()).contains(8);
        }
    }

    @Test
    @DisplayName("when the oldest is evicted, what follows waits for its own price, not for that of the evicted one")
    void cheaperAfterEviction() {
        limiter.tryAcquire(3);
        ManualSource<Integer> source = new ManualSource<>();
        Ledger<Integer> ledger = subscribe(source, HERE.buffer(2).whenFull(WhenFull.EVICT_OLDEST));
        source.next(5);
        source.next(1);
        assertThat(ledger.received()).as("in order").isEmpty();
        source.next(1);
        assertThat(ledger.received()).containsExactly(1, 1);
        assertThat(ledger.dropped()).containsExactly(5);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    @DisplayName(
            "newest first: whenever nothing moves, the newest that is held does not fit; each goes once, within the limit")
    void asFastAsLegal(long seed) {
        Random random = new Random(seed);
        ManualSource<Integer> source = new ManualSource<>();
        Ledger<Integer> ledger = subscribe(source, HERE.buffer(1_000).order(QueueOrder.NEWEST_FIRST));
        ArrayDeque<Integer> held = new ArrayDeque<>();
        int sent = 0;
        int received = 0;
        for (int step = 0; step < 2_000; step++) {
            if (held.size() < 20 && random.nextBoolean()) {
                int cost = random.nextInt(6);
                held.push(cost);
                source.next(cost);
                sent++;
            } else {
                time.advanceBy(Duration.ofMillis(random.nextInt(400)));
            }
            for (; received < ledger.received.size(); received++) {
                held.pop();
            }
            assertThat(held.isEmpty() || held.peek() > limiter.availablePermits())
                    .as("step %d: held %s, available %d", step, held, limiter.availablePermits())
                    .isTrue();
        }
        time.advanceBy(SECOND.multipliedBy(200));
        assertThat(ledger.received()).hasSize(sent);
        assertThat(limiter.statistics().queuedPermits()).isZero();
    }

    private static void runAll(Queue<Runnable> line) {
        for (Runnable task; (task = line.poll()) != null; ) {
            task.run();
        }
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

    @Test
    @DisplayName(
            "a mono is asked once, as each time may make its call anew: also if its element is dropped, or has no price")
    void monoIsAskedOnce() {
        PartitionedRateLimiter<Integer> keys = PartitionedRateLimiter.of(Limit.unlimited());
        limiter.tryAcquire(4);
        askedOnce(RateLimit.weighted(limiter, cost -> cost, HERE));
        askedOnce(RateLimit.weighted(limiter, cost -> 0, HERE));
        askedOnce(RateLimit.weighted(
                limiter, cost -> cost, HERE.maxWait(Duration.ZERO).onRefused(OnRefused.DROP)));
        askedOnce(RateLimit.weighted(limiter, cost -> cost, HERE));
        askedOnce(RateLimit.weighted(limiter, cost -> -cost, HERE));
        askedOnce(RateLimit.perKey(keys, cost -> cost, HERE.prefetch(1)));
    }

    private void askedOnce(RateLimit<Integer> limit) {
        AtomicInteger calls = new AtomicInteger();
        Ledger<Integer> ledger = Ledger.unbounded();
        Mono<Integer> call = Mono.create(sink -> sink.onRequest(elements -> {
            calls.incrementAndGet();
            sink.success(1);
        }));
        call.transform(limit).onErrorContinue((error, element) -> {}).subscribe(ledger);
        time.advanceBy(SECOND);
        assertThat(ledger.completed).isTrue();
        assertThat(calls).hasValue(1);
    }
}
