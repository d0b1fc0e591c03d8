package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartitionedRateLimiter;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.gate.GatePlan;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Elements that need a permit of their key. */
class KeyedTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final StreamOptions HERE = StreamOptions.defaults().emitOn(Runnable::run);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final Map<Character, RateLimiter> limiters = new ConcurrentHashMap<>();

    private RateLimiter of(Character key) {
        return limiters.computeIfAbsent(key, any -> Ledger.limiter(time, 1, SECOND));
    }

    private static Character keyOf(String element) {
        return element.charAt(0);
    }

    private Flux<String> limited(Flux<String> source, StreamOptions options) {
        Function<Character, RateLimiter> limiterOf = this::of;
        return new FluxRateLimit<>(
                source, new ElementGating<>(GatePlan.<String, Character>perKey(limiterOf, KeyedTest::keyOf, options)));
    }

    private Ledger<String> subscribe(Flux<String> source, StreamOptions options, long demand) {
        Ledger<String> ledger = new Ledger<>(demand);
        limited(source, ledger.options(options)).subscribe(ledger);
        return ledger;
    }

    @Test
    @DisplayName("an exhausted key delays no other, and keeps its own order")
    void noHeadOfLineBlocking() {
        Ledger<String> ledger =
                subscribe(Flux.just("a1", "a2", "a3", "b1", "c1", "b2").hide(), HERE, Long.MAX_VALUE);
        assertThat(ledger.received()).containsExactly("a1", "b1", "c1");
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly("a1", "b1", "c1", "a2", "b2");
        assertThat(ledger.completed).isFalse();
        time.advanceBy(SECOND);
        assertThat(ledger.received()).endsWith("a3");
        assertThat(ledger.completed).isTrue();
    }

    @Test
    @DisplayName("elements that need not wait stay in their order, across keys too")
    void keepsOrderWherePermitsAreThere() {
        List<String> elements = List.of("c1", "a1", "b1", "e1", "d1");
        Ledger<String> ledger = subscribe(Flux.fromIterable(elements).hide(), HERE, 0);
        ledger.request(2);
        ledger.request(Long.MAX_VALUE);
        assertThat(ledger.received()).isEqualTo(elements);
    }

    @Test
    @DisplayName("while there is room, the source is asked for more, whatever is held of one key")
    void keepsAskingWhileThereIsRoom() {
        List<String> elements = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            elements.add("a" + i);
        }
        for (int i = 0; i < 3_000; i++) {
            elements.add((char) ('b' + i) + "");
        }
        Ledger<String> ledger = subscribe(Flux.fromIterable(elements).hide(), HERE, Long.MAX_VALUE);
        assertThat(ledger.received()).hasSize(3_001);
    }

    @Test
    @DisplayName("a prefetch of one reads nothing ahead for keys either, once it is set")
    void prefetchOfOne() {
        ManualSource<String> source = new ManualSource<>();
        Flux<String> limited = limited(source, HERE.prefetch(1));
        assertThat(Scannable.from(limited).scan(Scannable.Attr.PREFETCH)).isEqualTo(1);
        Ledger<String> ledger = Ledger.unbounded();
        limited.subscribe(ledger);
        assertThat(source.requested).hasValue(1);
        source.next("a1");
        assertThat(source.requested).hasValue(2);
        source.next("a2");
        assertThat(source.requested).hasValue(2);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly("a1", "a2");
        assertThat(source.requested).hasValue(3);
    }

    @Test
    @DisplayName("a room full of one key makes the source wait, and nothing deadlocks")
    void fullRoom() {
        List<String> elements = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            elements.add("a" + i);
        }
        elements.add("b0");
        Ledger<String> ledger = subscribe(Flux.fromIterable(elements).hide(), HERE.prefetch(4), Long.MAX_VALUE);
        assertThat(ledger.received()).containsExactly("a0");
        time.advanceBy(SECOND.multipliedBy(20));
        assertThat(ledger.received()).containsExactlyInAnyOrderElementsOf(elements);
        assertThat(ledger.completed).isTrue();
    }

    @Test
    @DisplayName("EVICT_OLDEST takes the oldest of all keys, and withdraws the request of a key that has none left")
    void evictsTheOldestOfAllKeys() {
        ManualSource<String> source = new ManualSource<>();
        for (char key : "abcde".toCharArray()) {
            of(key).tryAcquire();
        }
        Ledger<String> ledger = subscribe(source, HERE.buffer(3).whenFull(WhenFull.EVICT_OLDEST), Long.MAX_VALUE);
        for (String element : List.of("a1", "b1", "a2", "c1", "d1")) {
            source.next(element);
        }
        assertThat(ledger.dropped()).containsExactly("a1", "b1");
        assertThat(of('b').statistics().queuedPermits()).isZero();
        assertThat(of('a').statistics().queuedPermits()).isEqualTo(1);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactlyInAnyOrder("a2", "c1", "d1");
    }

    @Test
    @DisplayName("with little demand, requests of other keys are withdrawn and no permit is lost")
    void littleDemand() {
        ManualSource<String> source = new ManualSource<>();
        for (char key : "abc".toCharArray()) {
            of(key).tryAcquire();
        }
        Ledger<String> ledger = subscribe(source, HERE.buffer(10), 1);
        source.next("a1");
        source.next("b1");
        source.next("c1");
        assertThat(of('c').statistics().queuedPermits()).isEqualTo(1);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).hasSize(1);
        String first = ledger.received().get(0);
        for (char key : "abc".toCharArray()) {
            assertThat(of(key).statistics().queuedPermits()).isZero();
            assertThat(of(key).availablePermits()).isEqualTo(key == keyOf(first) ? 0 : 1);
        }
        ledger.request(2);
        assertThat(ledger.received()).containsExactlyInAnyOrder("a1", "b1", "c1");
    }

    @Test
    @DisplayName("an element that goes at once and uses up the demand: the requests of other keys are withdrawn")
    void lastDemandGoesAtOnce() {
        ManualSource<String> source = new ManualSource<>();
        of('a').tryAcquire();
        Ledger<String> ledger = subscribe(source, HERE.buffer(10), 1);
        source.next("a1");
        assertThat(of('a').statistics().queuedPermits()).isEqualTo(1);
        source.next("b1");
        assertThat(ledger.received()).containsExactly("b1");
        assertThat(of('a').statistics().queuedPermits()).isZero();
        ledger.request(1);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly("b1", "a1");
    }

    @Test
    @DisplayName("newest first within a key")
    void newestFirst() {
        ManualSource<String> source = new ManualSource<>();
        of('a').tryAcquire();
        Ledger<String> ledger = subscribe(source, HERE.buffer(10).order(QueueOrder.NEWEST_FIRST), Long.MAX_VALUE);
        source.next("a1");
        source.next("a2");
        source.next("b1");
        source.next("a3");
        time.advanceBy(SECOND.multipliedBy(3));
        assertThat(ledger.received()).containsExactly("b1", "a3", "a2", "a1");
    }

    @Test
    @DisplayName("a buffer full of other keys' elements lets a newcomer through whose own key has a permit")
    void passesTheFullBuffer() {
        ManualSource<String> source = new ManualSource<>();
        Ledger<String> ledger = subscribe(source, HERE.buffer(2).whenFull(WhenFull.REJECT_NEW), Long.MAX_VALUE);
        List.of("a1", "a2", "a3", "b1", "a4", "b2").forEach(source::next);
        assertThat(ledger.received()).containsExactly("a1", "b1");
        assertThat(ledger.dropped()).containsExactly("a4", "b2");
        time.advanceBy(SECOND.multipliedBy(2));
        assertThat(ledger.received()).containsExactly("a1", "b1", "a2", "a3");
    }

    @Test
    @DisplayName("cancel discards what is held of all keys and withdraws all requests")
    void cancel() {
        ManualSource<String> source = new ManualSource<>();
        Ledger<String> ledger = subscribe(source, HERE.buffer(10), Long.MAX_VALUE);
        List.of("a1", "a2", "a3", "b1", "b2").forEach(source::next);
        ledger.cancel();
        assertThat(ledger.received()).containsExactly("a1", "b1");
        assertThat(ledger.discarded()).containsExactlyInAnyOrder("a2", "a3", "b2");
        assertThat(of('a').statistics().queuedPermits()).isZero();
        assertThat(of('b').statistics().queuedPermits()).isZero();
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName(
            "an operator that cancels before it passes its element on: the other keys' requests are withdrawn before that")
    void cancelledWhileBusy() {
        of('b').tryAcquire();
        List<Long> found = new ArrayList<>();
        String first = limited(Flux.just("b1", "a1").hide(), HERE)
                .next()
                .doOnNext(slow -> {
                    found.add(of('b').statistics().queuedPermits());
                    time.advanceBy(SECOND);
                    found.add(of('b').availablePermits());
                })
                .block();
        assertThat(first).isEqualTo("a1");
        assertThat(found).as("none waits, and the permit stays").containsExactly(0L, 1L);
    }

    @Test
    @DisplayName("a key function that fails or returns null fails the stream, after what is held")
    void failingKey() {
        Ledger<String> ledger = subscribe(Flux.just("a1", "a2", "", "a3").hide(), HERE, Long.MAX_VALUE);
        assertThat(ledger.error).isNull();
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly("a1", "a2");
        assertThat(ledger.error).isInstanceOf(StringIndexOutOfBoundsException.class);
        assertThat(ledger.dropped()).containsExactly("");
    }

    @Test
    @DisplayName("a limit that cannot be had fails the stream, also where refused elements are dropped")
    void failingLimit() {
        PartitionedRateLimiter<Character> perKey = PartitionedRateLimiter.<Character>builder(key -> {
                    if (key == 'b') {
                        throw new IllegalArgumentException("no limit for b");
                    }
                    return Limit.of(1, SECOND);
                })
                .maximumKeys(1)
                .timeSource(time)
                .build();
        ManualSource<String> source = new ManualSource<>();
        Ledger<String> ledger = Ledger.unbounded();
        source.transform(RateLimit.perKey(perKey, KeyedTest::keyOf, ledger.options(HERE.onRefused(OnRefused.DROP))))
                .subscribe(ledger);
        source.next("a1");
        source.next("b1");
        assertThat(ledger.received()).containsExactly("a1");
        assertThat(ledger.error).isInstanceOf(IllegalArgumentException.class).hasMessage("no limit for b");
        assertThat(ledger.dropped()).containsExactly("b1");
    }

    @Test
    @DisplayName("a key that throws when its last element has gone fails the stream; what is held is dropped, once")
    void throwingKey() {
        PartitionedRateLimiter<BreakingKey> perKey = PartitionedRateLimiter.<BreakingKey>builder(
                        key -> Limit.of(1, key.name == 'a' ? SECOND : SECOND.multipliedBy(9)))
                .timeSource(time)
                .build();
        AtomicBoolean isBroken = new AtomicBoolean();
        ManualSource<String> source = new ManualSource<>();
        Ledger<String> ledger = Ledger.unbounded();
        source.transform(RateLimit.perKey(
                        perKey, element -> new BreakingKey(keyOf(element), isBroken), ledger.options(HERE)))
                .subscribe(ledger);
        List.of("a1", "b1", "a2", "b2", "b3").forEach(source::next);
        isBroken.set(true);
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly("a1", "b1", "a2");
        assertThat(ledger.error).isInstanceOf(IllegalStateException.class).hasMessage("broken key");
        assertThat(ledger.dropped()).containsExactly("b2", "b3");
        assertThat(ledger.discarded()).containsExactly("b2", "b3");
        assertThat(source.cancelled).isTrue();
        source.next("a3");
        assertThat(ledger.discarded()).containsExactly("b2", "b3", "a3");
    }

    /** A key that can no longer be looked up once it is broken. */
    private record BreakingKey(char name, AtomicBoolean isBroken) {

        @Override
        public int hashCode() {
            if (isBroken.get()) {
                throw new IllegalStateException("broken key");
            }
            return name;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof BreakingKey key && key.name == name;
        }
    }

    @Test
    @DisplayName("closed limiters fail a stream, though it continues on errors")
    void closedThoughErrorsContinue() {
        PartitionedRateLimiter<Character> perKey = onePerSecond();
        ManualSource<String> source = new ManualSource<>();
        Ledger<String> closedMeanwhile = continuing(source, perKey);
        source.next("a1");
        perKey.close();
        source.next("b1");
        assertThat(closedMeanwhile.received()).containsExactly("a1");
        assertThat(closedMeanwhile.error).isInstanceOf(IllegalStateException.class);
        assertThat(closedMeanwhile.dropped()).containsExactly("b1");
        assertThat(source.cancelled).isTrue();

        Ledger<String> closedBefore = continuing(Flux.just("a1", "b1"), perKey);
        assertThat(closedBefore.error).isInstanceOf(IllegalStateException.class);
        assertThat(closedBefore.dropped()).startsWith("a1");
    }

    private PartitionedRateLimiter<Character> onePerSecond() {
        return PartitionedRateLimiter.<Character>builder(key -> Limit.of(1, SECOND))
                .timeSource(time)
                .build();
    }

    private static Ledger<String> continuing(Flux<String> source, PartitionedRateLimiter<Character> perKey) {
        Ledger<String> ledger = Ledger.unbounded();
        source.transform(RateLimit.perKey(perKey, KeyedTest::keyOf, ledger.options(HERE)))
                .onErrorContinue((error, element) -> {})
                .subscribe(ledger);
        return ledger;
    }

    @Test
    @DisplayName("the element of a mono is gated, not its subscription")
    void mono() {
        Ledger<String> ledger = Ledger.unbounded();
        AtomicInteger calls = new AtomicInteger();
        PartitionedRateLimiter<Character> perKey = onePerSecond();
        assertThat(perKey.tryAcquire('a', 1).isAcquired()).isTrue();
        Mono.fromCallable(() -> "a" + calls.incrementAndGet())
                .transform(RateLimit.perKey(perKey, KeyedTest::keyOf, HERE))
                .subscribe(ledger);
        assertThat(calls).hasValue(1);
        assertThat(ledger.received()).isEmpty();
        time.advanceBy(SECOND);
        assertThat(ledger.received()).containsExactly("a1");
        assertThat(ledger.completed).isTrue();
    }

    @Test
    @DisplayName("10,000 keys, 100,000 elements, on real threads: all delivered, in order within each key")
    void manyKeys() {
        int keys = 10_000;
        PartitionedRateLimiter<Integer> perKey = PartitionedRateLimiter.of(Limit.of(5, Duration.ofMillis(10)));
        List<int[]> received = Flux.range(0, 10 * keys)
                .map(i -> new int[] {i % keys, i})
                .publishOn(Schedulers.parallel())
                .transform(RateLimit.perKey(
                        perKey, element -> element[0], StreamOptions.defaults().prefetch(4_096)))
                .collectList()
                .block(Duration.ofSeconds(30));
        assertThat(received).hasSize(10 * keys);
        Map<Integer, Integer> last = new HashMap<>();
        assertThat(received).allMatch(element -> {
            Integer before = last.put(element[0], element[1]);
            return before == null || before < element[1];
        });
        assertThat(IntStream.range(0, keys)).allMatch(last::containsKey);
    }
}
