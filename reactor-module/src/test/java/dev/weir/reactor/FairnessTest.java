package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

/** How streams share a limiter that gives way to many at once. */
class FairnessTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTimeSource time = new VirtualTimeSource();

    @Test
    @DisplayName("virtual time, the streams' own workers: equal shares of every window")
    void equalSharesInVirtualTime() {
        VirtualTimeScheduler virtual = VirtualTimeScheduler.getOrSet();
        try {
            RateLimiter limiter = RateLimiter.builder(Limit.of(20, SECOND))
                    .timeSource(ReactorTime.of(Schedulers.parallel()))
                    .build();
            limiter.tryAcquire(20);
            List<Ledger<Integer>> streams = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                Ledger<Integer> ledger = Ledger.unbounded();
                streams.add(ledger);
                Flux.range(0, 1_000).transform(RateLimit.with(limiter)).subscribe(ledger);
            }
            virtual.advanceTimeBy(SECOND.multipliedBy(10));
            assertThat(streams)
                    .allSatisfy(stream -> assertThat(stream.received()).hasSize(10 * 20 / 5));
        } finally {
            VirtualTimeScheduler.reset();
        }
    }

    @Test
    @DisplayName("streams on one executor get equal shares, in hardly more turns than elements")
    void equalSharesOfOneExecutor() {
        RateLimiter limiter = Ledger.exhausted(time, 12, SECOND);
        Queue<Runnable> line = new ArrayDeque<>();
        List<Ledger<Integer>> streams = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Ledger<Integer> ledger = Ledger.unbounded();
            streams.add(ledger);
            Flux.range(0, 1_000)
                    .transform(RateLimit.with(limiter, StreamOptions.defaults().emitOn(line::add)))
                    .subscribe(ledger);
        }
        for (int second = 1; second <= 5; second++) {
            time.advanceBy(SECOND);
            int tasks = 0;
            for (Runnable task; (task = line.poll()) != null; tasks++) {
                task.run();
            }
            assertThat(tasks).isLessThanOrEqualTo(12 + 3);
            int each = 4 * second;
            assertThat(streams)
                    .allSatisfy(stream -> assertThat(stream.received()).hasSize(each));
        }
    }

    static Stream<Arguments> sharing() {
        return IntStream.rangeClosed(2, 5)
                .boxed()
                .flatMap(streams -> IntStream.of(1, 2, 3, 4, 5, 7, 12, 13, 40, 101)
                        .boxed()
                        .flatMap(permits ->
                                Stream.of(arguments(streams, permits, true), arguments(streams, permits, false))));
    }

    @ParameterizedTest(name = "{0} streams, {1} permits, pulled from the source: {2}")
    @MethodSource("sharing")
    @DisplayName("a stream gets the rest of a window in turn with the others")
    void equalSharesInTheLongRun(int streams, int permits, boolean pulled) {
        assertEqualShares(streams, permits, pulled, Ledger.limiter(time, permits, SECOND));
    }

    @ParameterizedTest(name = "{0} streams, {1} permits, pulled from the source: {2}")
    @MethodSource("sharing")
    @DisplayName("a stream on a chain gets the rest of a window in turn with the others")
    void equalSharesOfAChain(int streams, int permits, boolean pulled) {
        RateLimiter chain =
                RateLimiter.chain(Ledger.limiter(time, permits, SECOND), Ledger.limiter(time, 2 * permits, SECOND));
        assertEqualShares(streams, permits, pulled, chain);
    }

    private void assertEqualShares(int streams, int permits, boolean pulled, RateLimiter limiter) {
        Queue<Runnable> line = new ArrayDeque<>();
        int[] shares = new int[streams];
        for (int i = 0; i < streams; i++) {
            int stream = i;
            Flux<Integer> source = Flux.range(0, Integer.MAX_VALUE);
            (pulled ? source : source.hide())
                    .transform(RateLimit.with(limiter, StreamOptions.defaults().emitOn(line::add)))
                    .subscribe(element -> shares[stream]++);
        }
        Arrays.fill(shares, 0); // the first went without waiting, and had the first window for itself
        int windows = 60;
        for (int window = 0; window < windows; window++) {
            time.advanceBy(SECOND);
            for (Runnable task; (task = line.poll()) != null; ) {
                task.run();
            }
        }
        int longestTurn = 1 << (permits / streams / 16);
        IntSummaryStatistics all = Arrays.stream(shares).summaryStatistics();
        assertThat(all.getSum()).isEqualTo((long) windows * permits);
        assertThat(all.getMax() - all.getMin())
                .as("shares %s", Arrays.toString(shares))
                .isLessThanOrEqualTo(longestTurn);
    }

    @Test
    @DisplayName("a stream alone: the turns get longer, so that many permits take few tasks")
    void turnsGetLonger() {
        RateLimiter limiter = Ledger.exhausted(time, 100_000, SECOND);
        Queue<Runnable> line = new ArrayDeque<>();
        Ledger<Integer> ledger = Ledger.unbounded();
        Flux.range(0, 100_000)
                .transform(RateLimit.with(limiter, StreamOptions.defaults().emitOn(line::add)))
                .subscribe(ledger);
        time.advanceBy(SECOND);
        int tasks = 0;
        for (Runnable task; (task = line.poll()) != null; tasks++) {
            task.run();
        }
        assertThat(ledger.completed).isTrue();
        assertThat(ledger.received()).hasSize(100_000);
        assertThat(tasks).isLessThan(250);
    }
}
