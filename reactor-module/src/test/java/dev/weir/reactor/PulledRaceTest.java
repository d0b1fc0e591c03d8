package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.util.RaceTestUtils;

/**
 * Elements are pulled from a fused source while downstream cancels: each is delivered or discarded exactly once. A cancelled source
 * hands what is left to the discard hook, from the same iterator that the stream pulls from; so it must not hear of the cancel
 * before a pull is over.
 */
class PulledRaceTest {

    private static final int ROUNDS = 300;
    private static final int ELEMENTS = 30;
    private static final List<Integer> ALL = elements().boxed().toList();

    private final Ledger<Integer> ledger = new Ledger<>(0);
    private Scheduler racers;

    @BeforeEach
    void start() {
        racers = Schedulers.newBoundedElastic(4, 100, "race");
    }

    @AfterEach
    void stop() {
        racers.dispose();
    }

    private static void subscribe(Ledger<Integer> ledger, IntConsumer onTheWay) {
        Flux.fromIterable(new Numbers(onTheWay))
                .transform(RateLimit.with(
                        RateLimiter.of(Limit.unlimited()),
                        ledger.options(StreamOptions.defaults().emitOn(Runnable::run))))
                .subscribe(ledger);
    }

    private static void assertEachOnce(Ledger<Integer> ledger, String when) {
        List<Object> heard = new ArrayList<>(ledger.received());
        heard.addAll(ledger.discarded());
        assertThat(heard).as(when).containsExactlyInAnyOrderElementsOf(ALL);
    }

    static IntStream elements() {
        return IntStream.range(0, ELEMENTS);
    }

    @ParameterizedTest
    @MethodSource("elements")
    @DisplayName("another thread cancels while an element is on its way out of the source, whichever it is")
    void cancelledWithinAPull(int cancelledAt) {
        subscribe(ledger, element -> {
            if (element == cancelledAt) {
                CompletableFuture.runAsync(ledger::cancel, racers::schedule).join();
            }
        });
        ledger.request(Long.MAX_VALUE);
        assertThat(ledger.received()).isEqualTo(ALL.subList(0, cancelledAt));
        assertEachOnce(ledger, "cancelled at " + cancelledAt);
    }

    @Test
    @DisplayName("a request against a cancel")
    void requestAgainstCancel() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            Ledger<Integer> books = new Ledger<>(0);
            int spins = random.nextInt(100);
            subscribe(books, element -> spin(spins));
            int requested = 1 + random.nextInt(ELEMENTS);
            int late = random.nextInt(100 * requested);
            RaceTestUtils.race(racers, () -> books.request(requested), () -> {
                spin(late);
                books.cancel();
            });
            assertEachOnce(books, "seed " + seed + ", round " + round);
        }
    }

    private static void spin(int times) {
        for (int spin = 0; spin < times; spin++) {
            Thread.onSpinWait();
        }
    }

    /** Numbers whose iterator serves one thread at a time: something happens between its look at its place and its moving on. */
    private static final class Numbers extends AbstractCollection<Integer> {

        private final IntConsumer onTheWay;

        Numbers(IntConsumer onTheWay) {
            this.onTheWay = onTheWay;
        }

        @Override
        public int size() {
            return ELEMENTS;
        }

        @Override
        public Iterator<Integer> iterator() {
            return new Iterator<>() {
                private int next;

                @Override
                public boolean hasNext() {
                    return next < ELEMENTS;
                }

                @Override
                public Integer next() {
                    int here = next;
                    if (here >= ELEMENTS) {
                        throw new NoSuchElementException();
                    }
                    onTheWay.accept(here);
                    next = here + 1;
                    return here;
                }
            };
        }
    }
}
