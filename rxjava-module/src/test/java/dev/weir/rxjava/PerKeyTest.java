package dev.weir.rxjava;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimitExceededException;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import dev.weir.testkit.VirtualTimeSource;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.exceptions.MissingBackpressureException;
import io.reactivex.rxjava3.observers.TestObserver;
import io.reactivex.rxjava3.processors.PublishProcessor;
import io.reactivex.rxjava3.subjects.PublishSubject;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One limiter for each key, inside the operator. The key of an element is its first letter. */
class PerKeyTest {

    @RegisterExtension
    final Plugins plugins = Plugins.withVirtualTime();

    private final Minute minute = new Minute();
    private final VirtualTimeSource time = minute.time;
    private final PartitionedRateLimiter<Character> limiters = PartitionedRateLimiter.<Character>builder(
                    letter -> Limit.of(1, ofMinutes(1)))
            .timeSource(time)
            .build();

    private static char letter(String text) {
        return text.charAt(0);
    }

    @Test
    @DisplayName("a busy key delays no other, and order holds within a key")
    void busyKey() {
        TestSubscriber<String> subscriber = Flowable.just("a1", "a2", "a3", "b1", "c1", "b2")
                .compose(RateLimit.perKey(limiters, PerKeyTest::letter, minute.options))
                .test();
        subscriber.assertValues("a1", "b1", "c1");
        minute.pass();
        subscriber.assertValueCount(5);
        minute.pass();
        subscriber.assertComplete();
        assertThat(subscriber.values()).containsSubsequence("a1", "a2", "a3").containsSubsequence("b1", "b2");
    }

    @Test
    @DisplayName("ten thousand keys, two elements each: no deadlock, no element lost")
    void tenThousandKeys() {
        PartitionedRateLimiter<Integer> many = PartitionedRateLimiter.<Integer>builder(key -> Limit.of(1, ofMinutes(1)))
                .timeSource(time)
                .build();
        AtomicInteger received = new AtomicInteger();
        TestSubscriber<Integer> subscriber = Flowable.range(0, 20_000)
                .compose(RateLimit.perKey(many, item -> item % 10_000, minute.options))
                .doOnNext(item -> received.incrementAndGet())
                .test();
        assertThat(received).hasValue(10_000);
        for (int pass = 0; pass < 50 && received.get() < 20_000; pass++) {
            minute.pass();
        }
        subscriber.assertComplete().assertValueCount(20_000);
        minute.pass();
        assertThat(many.keyCount()).as("keys that are still in use").isZero();
    }

    @Test
    @DisplayName("all keys share one room; full of elements that wait, the source waits too")
    void oneRoom() {
        Asked<String> source = new Asked<>();
        source.compose(RateLimit.perKey(limiters, PerKeyTest::letter, minute.options))
                .test()
                .assertEmpty();
        assertThat(source.requests()).containsExactly(256L);
        Asked<String> small = new Asked<>();
        TestSubscriber<String> subscriber = small.compose(
                        RateLimit.perKey(limiters, PerKeyTest::letter, minute.options.prefetch(3)))
                .test();
        small.send("a1", "a2", "a3");
        subscriber.assertValues("a1");
        long asked = small.requests().stream().mapToLong(Long::longValue).sum();
        assertThat(asked).as("three in hand or on their way, one gone").isLessThanOrEqualTo(4);
    }

    @Test
    @DisplayName("EVICT_OLDEST takes the oldest of all keys; FAIL ends the stream after what is held")
    void whenFull() {
        PublishSubject<String> source = PublishSubject.create();
        TestObserver<String> evicting = source.compose(RateLimit.perKey(
                        limiters, PerKeyTest::letter, minute.options.buffer(2).whenFull(WhenFull.EVICT_OLDEST)))
                .test();
        List.of("a1", "b1", "a2", "b2", "a3").forEach(source::onNext);
        evicting.assertValues("a1", "b1");
        assertThat(minute.dropped).containsExactly("a2");
        source.onComplete();
        minute.pass();
        evicting.assertComplete();
        assertThat(evicting.values().subList(2, 4)).containsExactlyInAnyOrder("b2", "a3");

        minute.pass();
        PublishSubject<String> other = PublishSubject.create();
        TestObserver<String> failing = other.compose(
                        RateLimit.perKey(limiters, PerKeyTest::letter, minute.options.buffer(2)))
                .test();
        List.of("c1", "c2", "c3", "c4").forEach(other::onNext);
        assertThat(other.hasObservers()).isFalse();
        minute.pass();
        minute.pass();
        failing.assertFailure(MissingBackpressureException.class, "c1", "c2", "c3");
    }

    @Test
    @DisplayName(
            "requests are withdrawn while there is no demand: no permit is held for an element that nobody asked for")
    void withdrawnWithoutDemand() {
        TestSubscriber<String> subscriber = Flowable.just("a1", "a2", "b1", "b2")
                .compose(RateLimit.perKey(limiters, PerKeyTest::letter, minute.options))
                .test(3);
        subscriber.assertValues("a1", "b1");
        minute.pass();
        subscriber.assertValueCount(3);
        assertThat(limiters.forKey('a').availablePermits()
                        + limiters.forKey('b').availablePermits())
                .isEqualTo(1);
        minute.pass();
        subscriber.assertValueCount(3);
        subscriber.request(1);
        subscriber.assertValueCount(4).assertComplete();
    }

    @Test
    @DisplayName("cancelled, every key's request is withdrawn and every element dropped")
    void cancelled() {
        TestSubscriber<String> subscriber = Flowable.just("a1", "a2", "b1", "b2", "a3")
                .compose(RateLimit.perKey(limiters, PerKeyTest::letter, minute.options))
                .test();
        subscriber.cancel();
        assertThat(minute.dropped).containsExactlyInAnyOrder("a2", "b2", "a3");
        assertThat(limiters.forKey('a').statistics().queuedPermits()).isZero();
        assertThat(limiters.forKey('b').statistics().queuedPermits()).isZero();
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName(
            "an operator that cancels before it passes its element on: the other keys' requests are withdrawn before that")
    void cancelledWhileBusy() {
        limiters.tryAcquire('b', 1);
        List<Long> found = new ArrayList<>();
        Flowable.just("b1", "a1")
                .compose(RateLimit.perKey(limiters, PerKeyTest::letter, minute.options))
                .firstOrError()
                .doOnSuccess(slow -> {
                    found.add(limiters.forKey('b').statistics().queuedPermits());
                    minute.pass();
                    found.add(limiters.forKey('b').availablePermits());
                })
                .test()
                .assertResult("a1");
        assertThat(found).as("none waits, and the permit stays").containsExactly(0L, 1L);
        assertThat(minute.dropped).containsExactly("b1");
    }

    @Test
    @DisplayName("a key that cannot be computed, or is null, fails the stream after what is held")
    void keyFails() {
        Flowable.just("a", "", "b")
                .compose(RateLimit.perKey(limiters, PerKeyTest::letter, minute.options))
                .test()
                .assertFailure(StringIndexOutOfBoundsException.class, "a");
        Observable.just("b", "")
                .compose(RateLimit.perKey(limiters, text -> text.isEmpty() ? null : letter(text), minute.options))
                .test()
                .assertFailure(NullPointerException.class, "b");
        assertThat(minute.dropped).containsExactly("", "");
    }

    @Test
    @DisplayName(
            "a key that changes while its element is held fails the stream when that has gone; the rest is dropped")
    void keyChanges() {
        PartitionedRateLimiter<List<Character>> perKey = PartitionedRateLimiter.<List<Character>>builder(
                        key -> Limit.of(1, ofMinutes(key.contains('a') ? 1 : 9)))
                .timeSource(time)
                .build();
        List<Character> changing = new ArrayList<>(List.of('a'));
        PublishProcessor<String> source = PublishProcessor.create();
        TestSubscriber<String> subscriber = source.compose(RateLimit.perKey(
                        perKey, text -> text.equals("a2") ? changing : List.of(letter(text)), minute.options))
                .test();
        List.of("a1", "b1", "a2", "b2", "b3").forEach(source::onNext);
        changing.add('x');
        minute.pass();
        subscriber.assertFailure(IllegalStateException.class, "a1", "b1", "a2");
        assertThat(minute.dropped).containsExactly("b2", "b3");
        assertThat(source.hasSubscribers()).isFalse();
    }

    private PartitionedRateLimiter.Builder<Integer> twoKeys() {
        return PartitionedRateLimiter.<Integer>builder(key -> Limit.of(1, ofMinutes(1)))
                .timeSource(time)
                .maximumKeys(2);
    }

    private TestSubscriber<Integer> fourKeys(PartitionedRateLimiter<Integer> few, StreamOptions options) {
        return Flowable.fromStream(IntStream.range(0, 4).boxed())
                .compose(RateLimit.perKey(few, key -> key, options))
                .test();
    }

    @Test
    @DisplayName("further keys than there may be share one limiter")
    void furtherKeysShare() {
        PartitionedRateLimiter<Integer> few =
                twoKeys().overflowTo(Limit.of(1, ofMinutes(1))).build();
        TestSubscriber<Integer> subscriber = fourKeys(few, minute.options);
        subscriber.assertValues(0, 1, 2);
        minute.pass();
        subscriber.assertResult(0, 1, 2, 3);
    }

    @Test
    @DisplayName(
            "further keys than there may be are refused where they share none: the stream fails, or drops what is theirs")
    void furtherKeysAreRefused() {
        fourKeys(twoKeys().build(), minute.options).assertFailure(RateLimitExceededException.class, 0, 1);
        minute.dropped.clear();
        fourKeys(twoKeys().build(), minute.options.onRefused(OnRefused.DROP)).assertResult(0, 1);
        assertThat(minute.dropped).containsExactly(2, 3);
    }

    @Test
    @DisplayName("the element of a single or maybe waits for its key")
    void singleAndMaybe() {
        RateLimit<String> limit = RateLimit.perKey(limiters, PerKeyTest::letter, minute.options);
        Single.just("a1").compose(limit).test().assertResult("a1");
        TestObserver<String> waiting = Single.just("a2").compose(limit).test();
        waiting.assertEmpty();
        Maybe.just("b1").compose(limit).test().assertResult("b1");
        minute.pass();
        waiting.assertResult("a2");
    }
}
