package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable.ConditionalSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.util.RaceTestUtils;
import reactor.util.context.Context;

/**
 * Elements, grants, demand and the end of a stream, all at the same time: every element is delivered or discarded exactly
 * once, every permit was spent on an element that was passed on or is back, and no request is left behind.
 */
class LeakRaceTest {

    private static final int ROUNDS = 500;
    private static final Duration TICK = Duration.ofMillis(1);

    enum Downstream {
        PLAIN,
        CONDITIONAL
    }

    enum Source {
        PLAIN,
        FUSED
    }

    enum Ending {
        CANCEL,
        ERROR,
        OVERFLOW,
        COMPLETE
    }

    private Scheduler racers;

    static Stream<Arguments> matrix() {
        return Stream.of(Downstream.values())
                .flatMap(downstream -> Stream.of(Source.values())
                        .flatMap(source -> Stream.of(Ending.values())
                                .filter(ending ->
                                        source == Source.PLAIN || ending == Ending.CANCEL || ending == Ending.COMPLETE)
                                .map(ending -> Arguments.of(downstream, source, ending))));
    }

    @BeforeEach
    void ignoreWhatIsDroppedAfterCancel() {
        racers = Schedulers.newBoundedElastic(32, 100, "race");
        Hooks.onErrorDropped(error -> {});
    }

    @AfterEach
    void restore() {
        Hooks.resetOnErrorDropped();
        racers.dispose();
    }

    @ParameterizedTest
    @MethodSource("matrix")
    @DisplayName("nothing leaks")
    void nothingLeaks(Downstream downstream, Source source, Ending ending) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            new Round(downstream, source, ending, random).run(racers, "seed " + seed + ", round " + round);
        }
    }

    @Test
    @DisplayName(
            "a grant and a cheaper newcomer, for whom the request is made anew: no permit is lost, none is spent twice")
    void cheaperNewcomerAgainstGrant() {
        for (int round = 0; round < 4 * ROUNDS; round++) {
            RateLimiter limiter = RateLimiter.of(Limit.concurrency(8));
            List<Lease> out = List.of(limiter.tryAcquire(4), limiter.tryAcquire(2), limiter.tryAcquire(2));
            ManualSource<Integer> source = new ManualSource<>();
            Ledger<Integer> ledger = Ledger.unbounded();
            StreamOptions options = ledger.options(
                    StreamOptions.defaults().emitOn(Runnable::run).buffer(10).order(QueueOrder.NEWEST_FIRST));
            source.transform(RateLimit.weighted(limiter, cost -> cost, options)).subscribe(ledger);
            source.next(7);
            RaceTestUtils.race(
                    racers,
                    () -> out.forEach(Lease::close),
                    () -> IntStream.of(5, 6, 3, 0, 1).forEach(source::next));
            assertThat(ledger.received()).as("round %d", round).containsExactlyInAnyOrder(7, 5, 6, 3, 0, 1);
            assertThat(limiter.availablePermits()).isEqualTo(8);
            assertThat(limiter.statistics().queuedPermits()).isZero();
            assertThat(limiter.statistics().acquired()).isBetween(3L + 5, 3L + 6); // a cost of zero asks for nothing
        }
    }

    private static final class Round {

        private final Source source;
        private final Ending ending;
        private final int elements;
        private final VirtualTimeSource time = new VirtualTimeSource();
        private final RateLimiter limiter;
        private final Ledger<Integer> ledger = new Ledger<>(0);
        private final Counting counting;
        private final StreamOptions options;
        private final ManualSource<Integer> manual = new ManualSource<>();

        private Round(Downstream downstream, Source source, Ending ending, Random random) {
            this.source = source;
            this.ending = ending;
            this.counting = downstream == Downstream.CONDITIONAL ? new Filtering(ledger) : new Counting(ledger);
            this.elements = 1 + random.nextInt(8);
            this.limiter = RateLimiter.builder(Limit.of(1 + random.nextInt(3), TICK))
                    .timeSource(time)
                    .build();
            this.options = ledger.options(options(random));
        }

        private StreamOptions options(Random random) {
            StreamOptions options = StreamOptions.defaults().emitOn(Runnable::run);
            if (ending == Ending.OVERFLOW) {
                options = options.buffer(1 + random.nextInt(3))
                        .whenFull(anyOf(random, WhenFull.values()))
                        .order(anyOf(random, QueueOrder.values()));
            } else if (source == Source.PLAIN) {
                options = random.nextBoolean()
                        ? options.prefetch(elements)
                        : options.buffer(elements).order(anyOf(random, QueueOrder.values()));
            }
            return random.nextBoolean() ? options.errorsCutAhead() : options;
        }

        private static <E> E anyOf(Random random, E[] values) {
            return values[random.nextInt(values.length)];
        }

        private Flux<Integer> source() {
            return switch (source) {
                case PLAIN -> manual;
                case FUSED -> Flux.fromIterable(sent());
            };
        }

        private List<Integer> sent() {
            return IntStream.range(0, elements).boxed().toList();
        }

        private void run(Scheduler racers, String seed) {
            source().transform(RateLimit.with(limiter, options)).subscribe(counting);
            RaceTestUtils.race(racers, this::send, this::grant, this::demand, this::cancelMaybe);
            for (int i = 0; i < elements; i++) {
                ledger.request(2);
                time.advanceBy(TICK);
            }
            if (ending == Ending.CANCEL) {
                ledger.cancel();
            }
            check(seed);
        }

        private void send() {
            if (source == Source.FUSED) {
                return;
            }
            sent().forEach(manual::next);
            if (ending == Ending.ERROR) {
                manual.fail(new IllegalStateException("on purpose"));
            } else if (ending == Ending.COMPLETE || ending == Ending.OVERFLOW) {
                manual.complete();
            }
        }

        private void grant() {
            for (int i = 0; i < elements; i++) {
                time.advanceBy(TICK);
            }
        }

        private void demand() {
            for (int i = 0; i < elements; i++) {
                ledger.request(1);
            }
        }

        private void cancelMaybe() {
            if (ending == Ending.CANCEL) {
                ledger.cancel();
            }
        }

        private void check(String seed) {
            List<Object> heard = new ArrayList<>(ledger.received());
            heard.addAll(ledger.discarded());
            assertThat(heard).as(seed).doesNotHaveDuplicates();
            Set<Object> missing = new HashSet<>(sent());
            missing.removeAll(heard);
            assertThat(missing).as("neither delivered nor discarded, %s", seed).isEmpty();
            assertThat(limiter.statistics().acquired()).as(seed).isEqualTo(counting.elements.get());
            assertThat(limiter.statistics().queuedPermits()).as(seed).isZero();
            if (ending != Ending.CANCEL) {
                assertThat(counting.ends).as("ends, %s", seed).hasValue(1);
                assertThat(ledger.completed || ledger.error != null).as(seed).isTrue();
            }
        }
    }

    /** Stands between the limit and a ledger, which would swallow a second end, as operators do, and counts what it is told. */
    private static class Counting implements CoreSubscriber<Integer> {

        final AtomicInteger elements = new AtomicInteger();
        final AtomicInteger ends = new AtomicInteger();
        final Ledger<Integer> ledger;

        Counting(Ledger<Integer> ledger) {
            this.ledger = ledger;
        }

        @Override
        public Context currentContext() {
            return ledger.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            ledger.onSubscribe(subscription);
        }

        @Override
        public void onNext(Integer element) {
            elements.incrementAndGet();
            ledger.onNext(element);
        }

        @Override
        public void onError(Throwable error) {
            ends.incrementAndGet();
            ledger.onError(error);
        }

        @Override
        public void onComplete() {
            ends.incrementAndGet();
            ledger.onComplete();
        }
    }

    /** Takes two elements of three. */
    private static final class Filtering extends Counting implements ConditionalSubscriber<Integer> {

        Filtering(Ledger<Integer> ledger) {
            super(ledger);
        }

        @Override
        public boolean tryOnNext(Integer element) {
            elements.incrementAndGet();
            if (element % 3 == 0) {
                Operators.onDiscard(element, currentContext());
                return false;
            }
            ledger.onNext(element);
            return true;
        }
    }
}
