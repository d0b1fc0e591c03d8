package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import dev.weir.testkit.VirtualTimeSource;
import io.reactivex.rxjava3.core.BackpressureStrategy;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.processors.UnicastProcessor;
import io.reactivex.rxjava3.subjects.PublishSubject;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Elements, grants, demand and the end of the stream at the same time: every element is delivered or dropped exactly once,
 * signals never overlap, every permit went with an element or is back, and nobody is left waiting.
 */
class LeakMatrixTest {

    private static final int ROUNDS = 500;
    private static final Duration TICK = Duration.ofMillis(1);

    enum Source {
        PLAIN,
        FUSED,
        QUEUE,
        OBSERVABLE
    }

    enum Ending {
        CANCEL,
        ERROR,
        OVERFLOW,
        COMPLETE
    }

    @RegisterExtension
    final Plugins plugins = Plugins.withRealTime();

    static Stream<Arguments> matrix() {
        return Stream.of(false, true)
                .flatMap(conditional -> Stream.of(Source.values())
                        .flatMap(source -> Stream.of(Ending.values())
                                .filter(ending -> isPossible(source, ending))
                                .map(ending -> Arguments.of(conditional ? "conditional" : "plain", source, ending))));
    }

    private static boolean isPossible(Source source, Ending ending) {
        return switch (ending) {
            case OVERFLOW -> source == Source.PLAIN || source == Source.OBSERVABLE; // a queue is never overrun
            case ERROR -> source != Source.FUSED; // it can only throw
            default -> true;
        };
    }

    @ParameterizedTest(name = "{0}, {1}, {2}")
    @MethodSource("matrix")
    @DisplayName("nothing is lost and nothing is left")
    void nothingIsLost(String downstream, Source source, Ending ending) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (Race race = new Race()) {
            for (int round = 0; round < ROUNDS; round++) {
                new Round(downstream.equals("conditional"), source, ending, random)
                        .run(race, "seed " + seed + ", round " + round);
            }
        }
        plugins.takeErrors(); // errors after cancel
    }

    private static final class Round {

        private final boolean conditional;
        private final Source source;
        private final Ending ending;
        private final int elements;
        private final boolean onWorker;
        private final VirtualTimeSource time = new VirtualTimeSource();
        private final RateLimiter limiter;
        private final StreamOptions options;
        private final Asked<Integer> asked = new Asked<>();
        private final UnicastProcessor<Integer> unicast = UnicastProcessor.create();
        private final PublishSubject<Integer> subject = PublishSubject.create();
        private final List<Object> passed = new CopyOnWriteArrayList<>();
        private final List<Object> dropped = new CopyOnWriteArrayList<>();
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger terminals = new AtomicInteger();
        private final AtomicInteger overlaps = new AtomicInteger();
        private final TestSubscriber<Integer> subscriber = new TestSubscriber<>(0);

        private Round(boolean conditional, Source source, Ending ending, Random random) {
            this.conditional = conditional;
            this.source = source;
            this.ending = ending;
            this.elements = 1 + random.nextInt(8);
            this.onWorker = random.nextInt(4) == 0;
            this.limiter = RateLimiter.builder(Limit.of(1 + random.nextInt(3), TICK))
                    .timeSource(time)
                    .build();
            this.options = options(random);
        }

        private StreamOptions options(Random random) {
            StreamOptions chosen = StreamOptions.defaults().onDropped(dropped::add);
            if (!onWorker) {
                chosen = chosen.emitOn(Runnable::run);
            }
            if (ending == Ending.OVERFLOW) {
                chosen = chosen.buffer(1 + random.nextInt(3))
                        .whenFull(oneOf(WhenFull.values(), random))
                        .order(oneOf(QueueOrder.values(), random));
            } else if (source == Source.PLAIN || source == Source.OBSERVABLE) {
                chosen = random.nextBoolean()
                        ? chosen.prefetch(elements)
                        : chosen.buffer(elements).order(oneOf(QueueOrder.values(), random));
            }
            return random.nextBoolean() ? chosen.errorsCutAhead() : chosen;
        }

        private static <E> E oneOf(E[] values, Random random) {
            return values[random.nextInt(values.length)];
        }

        private Flowable<Integer> limited() {
            RateLimit<Integer> limit = RateLimit.with(limiter, options);
            return switch (source) {
                case PLAIN -> asked.compose(limit);
                case FUSED -> Flowable.fromIterable(sent()).compose(limit);
                case QUEUE -> unicast.compose(limit);
                case OBSERVABLE -> subject.compose(limit).toFlowable(BackpressureStrategy.MISSING);
            };
        }

        private List<Integer> sent() {
            return IntStream.range(0, elements).boxed().toList();
        }

        private void run(Race race, String seed) {
            Flowable<Integer> seen =
                    conditional ? limited().filter(this::takes) : limited().doOnNext(this::takes);
            seen.doOnTerminate(terminals::incrementAndGet).subscribe(subscriber);
            race.run(this::send, this::grant, this::demand, this::cancelMaybe);
            if (ending == Ending.CANCEL) {
                subscriber.cancel();
            }
            if (onWorker) {
                await().pollInterval(Duration.ofMillis(1)).until(() -> {
                    grant();
                    demand();
                    return isOver();
                });
            } else {
                for (int element = 0; element < elements; element++) {
                    demand();
                    time.advanceBy(TICK);
                }
            }
            check(seed);
        }

        private boolean isOver() {
            boolean ended = ending == Ending.CANCEL ? hasHeardAll() : terminals.get() > 0;
            return ended
                    && inside.get() == 0
                    && limiter.statistics().queuedPermits() == 0
                    && limiter.statistics().acquired() == passed.size();
        }

        private boolean takes(Integer element) {
            if (inside.getAndIncrement() != 0) {
                overlaps.incrementAndGet();
            }
            passed.add(element);
            inside.decrementAndGet();
            return element % 3 != 0;
        }

        private void send() {
            for (int element : sent()) {
                switch (source) {
                    case PLAIN -> asked.send(element);
                    case QUEUE -> unicast.onNext(element);
                    case OBSERVABLE -> subject.onNext(element);
                    default -> {}
                }
            }
            RuntimeException forced = new IllegalStateException("on purpose");
            boolean fails = ending == Ending.ERROR;
            boolean completes = ending == Ending.COMPLETE || ending == Ending.OVERFLOW;
            switch (source) {
                case PLAIN -> endWith(fails, () -> asked.fail(forced), completes, asked::complete);
                case QUEUE -> endWith(fails, () -> unicast.onError(forced), completes, unicast::onComplete);
                case OBSERVABLE -> endWith(fails, () -> subject.onError(forced), completes, subject::onComplete);
                default -> {}
            }
        }

        private static void endWith(boolean fails, Runnable fail, boolean completes, Runnable complete) {
            if (fails) {
                fail.run();
            } else if (completes) {
                complete.run();
            }
        }

        private void grant() {
            for (int tick = 0; tick < elements; tick++) {
                time.advanceBy(TICK);
            }
        }

        private void demand() {
            for (int element = 0; element < elements; element++) {
                subscriber.request(1);
            }
        }

        private void cancelMaybe() {
            if (ending == Ending.CANCEL) {
                subscriber.cancel();
            }
        }

        /** Whether the limit was sent every element: a subject or queue that is cancelled passes nothing on. */
        private boolean sendsEverything() {
            return source == Source.PLAIN || (source == Source.OBSERVABLE && ending == Ending.ERROR);
        }

        /** Who has cancelled is not told when the worker has dropped what was held. */
        private boolean hasHeardAll() {
            return !sendsEverything() || heard().size() == elements;
        }

        private List<Object> heard() {
            List<Object> heard = new ArrayList<>(passed);
            heard.addAll(dropped);
            return heard;
        }

        private void check(String seed) {
            List<Object> heard = heard();
            assertThat(heard).as(seed).doesNotHaveDuplicates();
            if (sendsEverything()) {
                assertThat(heard)
                        .as("delivered or dropped, %s", seed)
                        .containsExactlyInAnyOrderElementsOf(List.copyOf(sent()));
            } else if (ending == Ending.COMPLETE) {
                assertThat(passed).as(seed).hasSize(elements);
            }
            assertThat(overlaps).as("overlapping signals, %s", seed).hasValue(0);
            assertThat(limiter.statistics().acquired()).as("permits, %s", seed).isEqualTo(passed.size());
            assertThat(limiter.statistics().queuedPermits()).as(seed).isZero();
            if (ending != Ending.CANCEL) {
                assertThat(terminals).as("ends, %s", seed).hasValue(1);
            }
        }
    }
}
