package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartitionedRateLimiter;
import dev.weir.QueueOrder;
import dev.weir.RateLimitExceededException;
import dev.weir.RateLimiter;
import dev.weir.RefusalReason;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.test.publisher.TestPublisher;

/** What a stream does around its limiter. Permits are granted on the thread that moves the clock. */
class StreamOptionsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StreamOptions HERE = StreamOptions.defaults().emitOn(Runnable::run);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter = Ledger.exhausted(time, 1, SECOND);

    private <T> Ledger<T> subscribe(Flux<T> source, StreamOptions options, long demand) {
        Ledger<T> ledger = new Ledger<>(demand);
        source.transform(RateLimit.with(limiter, ledger.options(options))).subscribe(ledger);
        return ledger;
    }

    @Test
    @DisplayName(
            "a sink that drops what nobody asks for does so while a permit is awaited, and not in front of a buffer")
    void sinkThatDrops() {
        Sinks.Many<Integer> sink = Sinks.many().multicast().directBestEffort();
        Ledger<Integer> unbuffered = Ledger.unbounded();
        Ledger<Integer> buffered = Ledger.unbounded();
        sink.asFlux()
                .transform(RateLimit.with(Ledger.exhausted(time, 1, SECOND), HERE))
                .subscribe(unbuffered);
        sink.asFlux()
                .transform(RateLimit.with(Ledger.exhausted(time, 1, SECOND), HERE.buffer(3)))
                .subscribe(buffered);
        List.of(1, 2, 3).forEach(sink::tryEmitNext);
        time.advanceBy(SECOND.multipliedBy(3));
        assertThat(unbuffered.received()).containsExactly(1);
        assertThat(buffered.received()).containsExactly(1, 2, 3);
    }

    @Test
    @DisplayName("prefetch 1: the source is asked for one element at a time, and only on demand")
    void readsNothingAhead() {
        List<Long> asked = new ArrayList<>();
        Ledger<Integer> ledger = subscribe(Flux.range(1, 10).hide().doOnRequest(asked::add), HERE, 0);
        assertThat(asked).isEmpty();
        ledger.request(2);
        assertThat(asked).containsExactly(1L);
        time.advanceBy(SECOND);
        assertThat(asked).containsExactly(1L, 1L);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(1, 2);
        assertThat(asked).as("nobody wants a third").containsExactly(1L, 1L);
    }

    @Test
    @DisplayName("prefetch n: never more than n outstanding, asked for at once, refilled in batches")
    void readsAhead() {
        AtomicLong asked = new AtomicLong();
        AtomicLong sent = new AtomicLong();
        Ledger<Integer> ledger = subscribe(
                Flux.range(1, 100).hide().doOnNext(i -> sent.incrementAndGet()).doOnRequest(asked::addAndGet),
                HERE.prefetch(8),
                0);
        assertThat(asked).hasValue(8);
        ledger.request(Long.MAX_VALUE);
        for (int i = 0; i < 50; i++) {
            time.advanceBy(SECOND);
            assertThat(asked.get() - ledger.received().size()).isLessThanOrEqualTo(8);
        }
        assertThat(sent).hasValueGreaterThan(50);
        assertThat(ledger.received()).hasSize(50);
    }

    @Test
    @DisplayName("a source that overruns prefetch ends the stream with an error, after what is held")
    void overrun() {
        TestPublisher<Integer> source = TestPublisher.createNoncompliant(
                TestPublisher.Violation.REQUEST_OVERFLOW, TestPublisher.Violation.DEFER_CANCELLATION);
        Ledger<Integer> ledger = subscribe(source.flux(), HERE, Long.MAX_VALUE);
        source.next(1);
        source.next(2);
        source.next(3);
        source.assertCancelled();
        assertThat(ledger.error).isNull();
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(1);
        assertThat(ledger.error)
                .matches(Exceptions::isOverflow)
                .hasMessageContaining("more elements than were requested")
                .hasMessageContaining("StreamOptions.buffer(n)");
        assertThat(ledger.dropped()).containsExactly(2, 3);
        assertThat(ledger.discarded()).containsExactly(2, 3);
    }

    @Test
    @DisplayName("buffer: asks the source for everything and holds n in all, the one that waits included")
    void buffers() {
        AtomicLong asked = new AtomicLong();
        Sinks.Many<Integer> sink = Sinks.many().multicast().directBestEffort();
        Ledger<Integer> ledger = subscribe(
                sink.asFlux().doOnRequest(asked::addAndGet),
                HERE.buffer(3).whenFull(WhenFull.REJECT_NEW),
                Long.MAX_VALUE);
        assertThat(asked).hasValue(Long.MAX_VALUE);
        for (int i = 1; i <= 5; i++) {
            sink.tryEmitNext(i);
        }
        assertThat(ledger.dropped()).containsExactly(4, 5);
        assertThat(ledger.discarded()).containsExactly(4, 5);
        time.advanceBy(SECOND.multipliedBy(10));
        assertThat(ledger.received()).containsExactly(1, 2, 3);
        sink.tryEmitNext(6);
        assertThat(ledger.received()).containsExactly(1, 2, 3, 6);
    }

    @Test
    @DisplayName("options say what they are")
    void sayWhatTheyAre() {
        assertThat(StreamOptions.defaults())
                .hasToString(
                        "StreamOptions[prefetch=default, buffer=0, order=OLDEST_FIRST, whenFull=FAIL, maxWait=none, "
                                + "onRefused=FAIL, errorsCutAhead=false]");
        assertThat(StreamOptions.defaults().prefetch(4).maxWait(SECOND).toString())
                .contains("prefetch=4", "maxWait=PT1S");
    }

    @Test
    @DisplayName("whenFull FAIL, the default: the source is cancelled at once, what is held is delivered first")
    void failsWhenFull() {
        TestPublisher<Integer> source = TestPublisher.create();
        Ledger<Integer> ledger = subscribe(source.flux(), HERE.buffer(2), Long.MAX_VALUE);
        source.next(1, 2, 3);
        source.assertCancelled();
        assertThat(ledger.dropped()).containsExactly(3);
        assertThat(ledger.error).isNull();
        time.advanceBy(SECOND.multipliedBy(2));
        assertThat(ledger.received()).containsExactly(1, 2);
        assertThat(Exceptions.isOverflow(ledger.error)).isTrue();
        assertThat(ledger.error).hasMessageContaining("buffer of 2").hasMessageContaining("backpressure");
    }

    @Test
    @DisplayName("whenFull FAIL with errorsCutAhead: what is held is dropped")
    void failsWhenFullCuttingAhead() {
        TestPublisher<Integer> source = TestPublisher.create();
        Ledger<Integer> ledger = subscribe(source.flux(), HERE.buffer(2).errorsCutAhead(), Long.MAX_VALUE);
        source.next(1, 2, 3);
        source.assertCancelled();
        assertThat(ledger.error).hasMessageContaining("backpressure");
        assertThat(ledger.dropped()).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(ledger.discarded()).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(limiter.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("EVICT_OLDEST: the oldest goes, and the newcomer takes a place")
    void evictsTheOldest() {
        Sinks.Many<Integer> sink = Sinks.many().multicast().directBestEffort();
        Ledger<Integer> ledger =
                subscribe(sink.asFlux(), HERE.buffer(3).whenFull(WhenFull.EVICT_OLDEST), Long.MAX_VALUE);
        for (int i = 1; i <= 5; i++) {
            sink.tryEmitNext(i);
        }
        assertThat(ledger.dropped()).containsExactly(1, 2);
        time.advanceBy(SECOND.multipliedBy(3));
        assertThat(ledger.received()).containsExactly(3, 4, 5);
        assertThat(ledger.discarded()).containsExactly(1, 2);
    }

    @Test
    @DisplayName("NEWEST_FIRST: which element goes is chosen when the permit comes, not when it is asked for")
    void newestFirst() {
        Sinks.Many<Integer> sink = Sinks.many().multicast().directBestEffort();
        Ledger<Integer> ledger =
                subscribe(sink.asFlux(), HERE.buffer(4).order(QueueOrder.NEWEST_FIRST), Long.MAX_VALUE);
        sink.tryEmitNext(1);
        sink.tryEmitNext(2);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(2);
        sink.tryEmitNext(3);
        time.advanceBy(SECOND);
        sink.tryEmitComplete();
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(2, 3, 1);
        assertThat(ledger.completed).isTrue();
    }

    @Test
    @DisplayName("NEWEST_FIRST and EVICT_OLDEST: the newest n survive")
    void newestFirstEvicting() {
        Sinks.Many<Integer> sink = Sinks.many().multicast().directBestEffort();
        Ledger<Integer> ledger = subscribe(
                sink.asFlux(),
                HERE.buffer(2).order(QueueOrder.NEWEST_FIRST).whenFull(WhenFull.EVICT_OLDEST),
                Long.MAX_VALUE);
        for (int i = 1; i <= 6; i++) {
            sink.tryEmitNext(i);
        }
        time.advanceBy(SECOND.multipliedBy(5));
        assertThat(ledger.received()).containsExactly(6, 5);
        assertThat(ledger.dropped()).containsExactly(1, 2, 3, 4);
    }

    @Test
    @DisplayName("maxWait zero enforces: what would wait is refused, and the stream fails")
    void enforces() {
        TestPublisher<Integer> source = TestPublisher.create();
        Ledger<Integer> ledger = subscribe(source.flux(), HERE.maxWait(Duration.ZERO), Long.MAX_VALUE);
        source.next(1);
        source.assertCancelled();
        assertThat(ledger.error).isInstanceOfSatisfying(RateLimitExceededException.class, exceeded -> {
            assertThat(exceeded.lease().reason()).contains(RefusalReason.EXHAUSTED);
            assertThat(exceeded.lease().retryAfter()).contains(SECOND);
        });
        assertThat(ledger.dropped()).containsExactly(1);
        assertThat(ledger.discarded()).containsExactly(1);
    }

    @Test
    @DisplayName("onRefused DROP: refused elements are dropped and the stream goes on")
    void dropsRefused() {
        Sinks.Many<Integer> sink = Sinks.many().unicast().onBackpressureBuffer();
        Ledger<Integer> ledger =
                subscribe(sink.asFlux().hide(), HERE.maxWait(Duration.ZERO).onRefused(OnRefused.DROP), Long.MAX_VALUE);
        sink.tryEmitNext(1);
        sink.tryEmitNext(2);
        time.advanceBy(SECOND);
        sink.tryEmitNext(3);
        sink.tryEmitNext(4);
        sink.tryEmitComplete();
        assertThat(ledger.received()).containsExactly(3);
        assertThat(ledger.dropped()).containsExactly(1, 2, 4);
        assertThat(ledger.completed).isTrue();
    }

    @Test
    @DisplayName("maxWait: a wait as long as the bound fits, a longer one is refused at once")
    void boundsTheWait() {
        Ledger<Integer> fits = subscribe(Flux.just(1), HERE.maxWait(SECOND), Long.MAX_VALUE);
        Ledger<Integer> tooLong = subscribe(Flux.just(2), HERE.maxWait(SECOND), Long.MAX_VALUE);
        assertThat(tooLong.error)
                .isInstanceOfSatisfying(
                        RateLimitExceededException.class,
                        exceeded -> assertThat(exceeded.lease().reason()).contains(RefusalReason.MAX_WAIT));
        time.advanceBy(SECOND);
        assertThat(fits.received()).containsExactly(1);
    }

    @Test
    @DisplayName("a throwing onDropped cancels the source and ends the stream with that error")
    void throwingOnDropped() {
        TestPublisher<Integer> source = TestPublisher.create();
        Ledger<Integer> ledger = Ledger.unbounded();
        IllegalStateException thrown = new IllegalStateException("dropped");
        StreamOptions options = HERE.buffer(1).whenFull(WhenFull.REJECT_NEW).onDropped(element -> {
            throw thrown;
        });
        source.flux().transform(RateLimit.with(limiter, options)).subscribe(ledger);
        source.next(1, 2);
        source.assertCancelled();
        assertThat(ledger.error).isSameAs(thrown);
        assertThat(ledger.discarded()).containsExactlyInAnyOrder(1, 2);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, Long.MAX_VALUE})
    @DisplayName("an error of onDropped ends the stream as one element makes room for another")
    void throwingAsOneMakesRoom(long demand) {
        IllegalStateException thrown = new IllegalStateException("dropped");
        StreamOptions options = HERE.buffer(2).whenFull(WhenFull.EVICT_OLDEST).onDropped(element -> {
            throw thrown;
        });
        PartitionedRateLimiter<Integer> one = PartitionedRateLimiter.<Integer>builder(key -> limiter.limit())
                .timeSource(time)
                .build();
        one.tryAcquire(0, 1);
        List<RateLimit<Integer>> limits =
                List.of(RateLimit.with(limiter, options), RateLimit.perKey(one, element -> 0, options));
        for (RateLimit<Integer> limit : limits) {
            TestPublisher<Integer> source = TestPublisher.create();
            Ledger<Integer> ledger = new Ledger<>(demand);
            source.flux().transform(limit).subscribe(ledger);
            source.next(1, 2, 3);
            source.assertCancelled();
            assertThat(ledger.error).isSameAs(thrown);
            assertThat(ledger.received()).isEmpty();
            assertThat(ledger.discarded()).containsExactlyInAnyOrder(1, 2, 3);
        }
        assertThat(limiter.statistics().queuedPermits()).isZero();
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("errors come after what is held; errorsCutAhead lets them overtake")
    void errorsInOrderOrAhead() {
        RuntimeException broken = new RuntimeException("broken");
        Flux<Integer> source = Flux.concat(Flux.just(1, 2).hide(), Flux.error(broken));
        Ledger<Integer> inOrder = subscribe(source, HERE.prefetch(4), Long.MAX_VALUE);
        assertThat(inOrder.error).isNull();
        time.advanceBy(SECOND.multipliedBy(2));
        assertThat(inOrder.received()).containsExactly(1, 2);
        assertThat(inOrder.error).isSameAs(broken);

        Ledger<Integer> ahead = subscribe(source, HERE.prefetch(4).errorsCutAhead(), Long.MAX_VALUE);
        assertThat(ahead.error).isSameAs(broken);
        assertThat(ahead.dropped()).containsExactly(1, 2);
        assertThat(limiter.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName(
            "errorsCutAhead: the error of a source with a queue cuts off no more than what is in hand when it is told")
    void errorsCutAheadOfNoQueue() {
        Sinks.Many<Integer> sink = Sinks.many().unicast().onBackpressureBuffer();
        Ledger<Integer> ledger = subscribe(sink.asFlux(), HERE.errorsCutAhead(), Long.MAX_VALUE);
        for (int i = 1; i <= 3; i++) {
            sink.tryEmitNext(i);
        }
        sink.tryEmitError(new IllegalStateException("on purpose"));
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(1);
        assertThat(ledger.error).isNull();
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly(1, 2);
        assertThat(ledger.error).hasMessage("on purpose");
        assertThat(ledger.dropped()).containsExactly(3);
        assertThat(ledger.discarded()).containsExactly(3);
    }

    @Test
    @DisplayName("emitOn: after a wait elements go on through the executor, and only then")
    void emitsOn() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        Ledger<Integer> ledger =
                subscribe(Flux.range(1, 2), StreamOptions.defaults().emitOn(tasks::add), Long.MAX_VALUE);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).isEmpty();
        tasks.remove().run();
        assertThat(ledger.received()).containsExactly(1);
        assertThat(tasks).isEmpty();
        time.advanceBy(SECOND);
        tasks.remove().run();
        assertThat(ledger.received()).containsExactly(1, 2);
        assertThat(ledger.completed).isTrue();
    }
}
