package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.EmissionTimes;
import dev.weir.testkit.PermitLedger;
import dev.weir.testkit.VirtualTimeSource;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Rates, shares and threads on the real clock, and on real threads. */
class FairSharesRealTimeTest {

    private static final Duration LONGEST = Duration.ofSeconds(20);

    @ParameterizedTest
    @ValueSource(ints = {1_000, 10_000})
    @DisplayName("the limit is reached and never exceeded, as the limiter stamps its grants")
    void reachesTheLimit(int perSecond) {
        int permits = perSecond / 100;
        Duration period = Duration.ofMillis(10);
        int elements = 2 * perSecond;
        PermitLedger ledger = new PermitLedger();
        EmissionTimes emitted = EmissionTimes.record(TimeSource.system());
        Flux.range(0, elements)
                .transform(RateLimit.of(ledger.watching(Limit.of(permits, period))))
                .doOnNext(i -> emitted.add())
                .blockLast(LONGEST);
        ledger.grantTimes().neverExceeds(permits, period);
        assertThat(ledger.grantTimes().mostIn(Duration.ofSeconds(1))).isGreaterThanOrEqualTo(perSecond * 8 / 10);
        assertThat(emitted.sinceFirst().get(elements - 1)).isBetween(Duration.ofMillis(1_800), Duration.ofSeconds(6));
    }

    @Test
    @DisplayName("streams on the threads of a pool share one limiter, and whoever waits gets a permit in every period")
    void nobodyStarves() {
        int permits = 20;
        Duration period = Duration.ofMillis(10);
        VirtualTimeSource time = new VirtualTimeSource(); // a thread that is held up misses no period of the clock
        RateLimiter limiter = Ledger.limiter(time, permits, period);
        int streams = 8;
        AtomicInteger[] shares = new AtomicInteger[streams];
        List<Disposable> running = new ArrayList<>();
        for (int i = 0; i < streams; i++) {
            AtomicInteger share = new AtomicInteger();
            shares[i] = share;
            running.add(Flux.range(0, Integer.MAX_VALUE)
                    .subscribeOn(Schedulers.parallel())
                    .transform(RateLimit.with(limiter))
                    .subscribe(element -> share.incrementAndGet()));
        }
        int[] before = new int[streams];
        for (int passed = 1; passed <= 80; passed++) {
            int granted = passed * permits;
            Awaitility.await()
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(LONGEST)
                    .until(() -> limiter.statistics().queuedPermits() == streams
                            && Arrays.stream(shares)
                                            .mapToInt(AtomicInteger::get)
                                            .sum()
                                    == granted);
            int[] counts = Arrays.stream(shares).mapToInt(AtomicInteger::get).toArray();
            if (passed > 1) { // before, not all of them were waiting
                assertThat(IntStream.range(0, streams).map(i -> counts[i] - before[i]))
                        .as("shares of period %d", passed)
                        .allMatch(share -> share > 0);
            }
            System.arraycopy(counts, 0, before, 0, streams);
            time.advanceBy(period);
        }
        running.forEach(Disposable::dispose);
    }

    @Test
    @DisplayName("10,000 streams wait on one limiter, each is served")
    void manyStreams() {
        RateLimiter limiter = RateLimiter.of(1_000, Duration.ofMillis(10));
        Long served = Flux.range(0, 10_000)
                .flatMap(i -> Flux.just(i, -i).hide().transform(RateLimit.with(limiter)), 10_000)
                .count()
                .block(LONGEST);
        assertThat(served).isEqualTo(20_000);
        assertThat(limiter.statistics().queuedPermits()).isZero();
        assertThat(limiter.statistics().acquired()).isEqualTo(20_000);
    }

    @Test
    @DisplayName("§1.3: signals never overlap, whoever grants, sends and requests")
    void signalsNeverOverlap() {
        RateLimiter limiter = RateLimiter.of(50, Duration.ofMillis(1));
        Queue<String> overlaps = new ConcurrentLinkedQueue<>();
        List<Flux<Integer>> streams = IntStream.range(0, 6)
                .mapToObj(stream -> {
                    AtomicInteger inside = new AtomicInteger();
                    return Flux.range(0, 3_000)
                            .publishOn(Schedulers.parallel())
                            .hide()
                            .transform(RateLimit.with(
                                    limiter, StreamOptions.defaults().prefetch(8)))
                            .doOnNext(element -> {
                                if (inside.getAndIncrement() != 0) {
                                    overlaps.add("stream " + stream + ", element " + element);
                                }
                                inside.decrementAndGet();
                            });
                })
                .toList();
        Long count = Flux.merge(streams).count().block(LONGEST);
        assertThat(overlaps).isEmpty();
        assertThat(count).isEqualTo(18_000);
    }

    @Test
    @DisplayName("parallel rails share a given limiter; a contended run blocks nowhere")
    void parallelRails() {
        RateLimiter limiter = RateLimiter.of(500, Duration.ofMillis(10));
        List<Integer> received = Flux.range(0, 5_000)
                .parallel(4)
                .runOn(Schedulers.parallel())
                .transformGroups(RateLimit.with(limiter))
                .sequential()
                .collectList()
                .block(LONGEST);
        assertThat(received).hasSize(5_000).doesNotHaveDuplicates();
        assertThat(limiter.statistics().acquired()).isEqualTo(5_000);
    }

    @Test
    @DisplayName("calls on the threads of a pool: each begins once, none is lost")
    void manyCalls() {
        RateLimiter limiter =
                RateLimiter.builder(Limit.of(100, Duration.ofMillis(1))).build();
        AtomicInteger begun = new AtomicInteger();
        Long count = Flux.range(0, 5_000)
                .flatMap(
                        i -> Mono.fromCallable(begun::incrementAndGet)
                                .subscribeOn(Schedulers.parallel())
                                .transform(RateLimit.with(limiter)),
                        5_000)
                .count()
                .block(LONGEST);
        assertThat(count).isEqualTo(5_000);
        assertThat(begun).hasValue(5_000);
        assertThat(limiter.statistics().acquired()).isEqualTo(5_000);
    }
}
