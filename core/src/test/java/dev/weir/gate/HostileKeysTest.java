package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Keys that throw where a stream looks for their lanes, or that change: the stream ends with that error, each element is delivered or
 * dropped once, and nothing is left behind. The key of an element is its tens; all keys have the same hash.
 */
class HostileKeysTest {

    private static final int ALWAYS = Integer.MAX_VALUE;

    enum Fault {
        EQUALS_THROWS,
        HASH_THROWS,
        HASH_CHANGES
    }

    /** Where the key is asked that is hostile. 10, 20 and 30 are held then. */
    enum Place {
        AT_THE_DOOR(40),
        INTO_A_LANE(40),
        AFTER_A_BUSY_DRAIN(40),
        AS_THE_LAST_ONE_GOES(20),
        AS_THE_LAST_ONE_IS_EVICTED(20);

        final int hostile;

        Place(int hostile) {
            this.hostile = hostile;
        }

        boolean isArrival() {
            return hostile == 40;
        }
    }

    private final List<String> uncaught = new ArrayList<>();
    private final List<Object> dropped = new ArrayList<>();
    private final List<Integer> offered = new ArrayList<>();
    private final Map<Integer, RateLimiter> limiters = new HashMap<>();
    private final Map<Integer, Lease> out = new HashMap<>();
    private final Recording stream = new Recording();

    private Fault fault = Fault.EQUALS_THROWS;
    private int hostile;
    private int timesLeft;
    private final RuntimeException broken = new IllegalStateException("key");

    @BeforeEach
    void catchWhatNobodyCatches() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown.getMessage()));
    }

    @AfterEach
    void catchNoMore() {
        Thread.currentThread().setUncaughtExceptionHandler(null);
    }

    private RateLimiter limiter(Key key) {
        return limiters.computeIfAbsent(key.number, number -> RateLimiter.of(Limit.concurrency(1)));
    }

    private ElementGate<Integer> started(StreamOptions options, long demand) {
        LimiterPlan<Integer> plan = GatePlan.perKey(this::limiter, Key::new, options.onDropped(dropped::add));
        ElementGate<Integer> gate = new ElementGate<>(plan, stream, stream.worker);
        gate.start();
        if (demand > 0) {
            gate.request(demand);
        }
        return gate;
    }

    private void offer(ElementGate<Integer> gate, int... elements) {
        for (int element : elements) {
            offered.add(element);
            gate.offer(element);
        }
    }

    private void exhaust(int... keys) {
        for (int key : keys) {
            RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
            limiters.put(key, limiter);
            out.put(key, limiter.tryAcquire());
        }
    }

    private void grant(int key) {
        Lease lease = out.remove(key);
        if (lease != null) {
            lease.close();
        }
    }

    private ElementGate<Integer> holdingThree(Place place) {
        exhaust(10, 20, 30, 40);
        boolean evicts = place == Place.AS_THE_LAST_ONE_IS_EVICTED;
        StreamOptions options =
                evicts ? StreamOptions.defaults().buffer(3).whenFull(WhenFull.EVICT_OLDEST) : StreamOptions.defaults();
        ElementGate<Integer> gate = started(options, place == Place.INTO_A_LANE || evicts ? 0 : ALWAYS);
        offer(gate, 10, 20, 30);
        return gate;
    }

    /** From now on a key of what it holds is hostile. */
    private ElementGate<Integer> holdingThree(Place place, Fault fault, int times) {
        ElementGate<Integer> gate = holdingThree(place);
        this.fault = fault;
        hostile = place.hostile;
        timesLeft = times;
        return gate;
    }

    private void reach(Place place, ElementGate<Integer> gate) {
        switch (place) {
            case AT_THE_DOOR, INTO_A_LANE -> offer(gate, 40);
            case AFTER_A_BUSY_DRAIN -> {
                stream.onNext = () -> offer(gate, 40, 41);
                offer(gate, 50);
            }
            case AS_THE_LAST_ONE_GOES -> grant(20);
            case AS_THE_LAST_ONE_IS_EVICTED -> offer(gate, 11, 40); // 10 is evicted, but not its lane
        }
    }

    private static String messageOf(Fault fault) {
        return fault == Fault.HASH_CHANGES ? "The key of an element has changed while the element was held" : "key";
    }

    static Stream<Arguments> matrix() {
        return Stream.of(Place.values())
                .flatMap(place -> Stream.of(Fault.values())
                        .filter(fault -> fault != Fault.HASH_CHANGES || !place.isArrival())
                        .flatMap(fault -> Stream.of(1, ALWAYS)
                                .filter(times -> fault != Fault.HASH_CHANGES || times == ALWAYS)
                                .map(times -> Arguments.of(place, fault, times))));
    }

    @ParameterizedTest(name = "{0}, {1}, {2} times")
    @MethodSource("matrix")
    @DisplayName("the stream ends with what the key has thrown, or because it has changed")
    void endsTheStream(Place place, Fault fault, int times) {
        ElementGate<Integer> gate = holdingThree(place, fault, times);
        reach(place, gate);
        assertThat(stream.heard).containsSubsequence("cancelled", "error " + messageOf(fault), "ended");
        assertNothingIsLeft(gate);
        assertThat(stream.heard).filteredOn(heard -> heard.contains("error")).hasSize(1);
        assertThat(uncaught).isEmpty();
    }

    @ParameterizedTest(name = "{0}, {1}, {2} times")
    @MethodSource("matrix")
    @DisplayName("a key that throws what is fatal: the thread hears of it, downstream counts as cancelled")
    void fatal(Place place, Fault fault, int times) {
        ElementGate<Integer> gate = holdingThree(place, fault, times);
        stream.isFatal = true;
        try {
            reach(place, gate);
        } catch (RuntimeException thrown) {
            uncaught.add(thrown.getMessage());
        }
        assertThat(uncaught).containsExactly(messageOf(fault));
        assertThat(gate.isCancelled()).isTrue();
        assertThat(stream.heard).containsSubsequence("cancelled", "ended").noneMatch(heard -> heard.contains("error"));
        assertNothingIsLeft(gate);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    @DisplayName("a stream that is cancelled while its keys throw drops what it holds, in order, and asks no key")
    void cancelled(Fault fault) {
        ElementGate<Integer> gate = holdingThree(Place.AT_THE_DOOR);
        offer(gate, 21, 11);
        this.fault = fault;
        hostile = 20;
        timesLeft = ALWAYS;
        gate.cancel();
        assertThat(dropped).containsExactly(10, 20, 30, 21, 11);
        assertThat(stream.heard).containsExactly("cancelled", "ended");
        assertNothingIsLeft(gate);
    }

    @Test
    @DisplayName(
            "a stream whose subscriber throws while elements wait for their lanes: they are dropped, and no key is asked")
    void subscriberThrows() {
        ElementGate<Integer> gate = holdingThree(Place.AT_THE_DOOR);
        hostile = 40;
        timesLeft = ALWAYS;
        stream.onNext = () -> {
            offer(gate, 40, 41);
            throw new IllegalStateException("downstream");
        };
        assertThatCode(() -> offer(gate, 50)).hasMessage("downstream");
        assertThat(dropped).containsExactly(10, 20, 30, 40, 41);
        assertThat(stream.heard).containsExactly("50", "cancelled", "ended");
        assertNothingIsLeft(gate);
    }

    @Test
    @DisplayName("a key that throws as a subscriber has thrown is told as an error that downstream does not hear")
    void besideASubscriberThatThrows() {
        ElementGate<Integer> gate = holdingThree(Place.AS_THE_LAST_ONE_GOES);
        hostile = 20;
        timesLeft = ALWAYS;
        stream.onNext = () -> {
            throw new IllegalStateException("downstream");
        };
        grant(20);
        assertThat(uncaught).containsExactly("downstream");
        assertThat(dropped).containsExactly(10, 30);
        assertThat(stream.heard).containsExactly("20", "cancelled", "dropped key", "ended");
        assertNothingIsLeft(gate);
    }

    private void assertNothingIsLeft(ElementGate<Integer> gate) {
        int late = 99;
        gate.cancel();
        offer(gate, late);
        assertThat(dropped).as("the gate is not locked").contains(late);
        List<Object> accountedFor = new ArrayList<>(dropped);
        accountedFor.addAll(stream.delivered);
        assertThat(accountedFor).containsExactlyInAnyOrderElementsOf(offered);
        assertThat(gate.isEnded()).isTrue();
        assertThat(gate.held()).isZero();
        assertThat(stream.heard).containsOnlyOnce("cancelled", "ended");
        assertThat(limiters.values()).allMatch(limiter -> limiter.statistics().queuedPermits() == 0);
        List.copyOf(out.keySet()).forEach(this::grant);
        assertThat(limiters.values()).allMatch(limiter -> limiter.availablePermits() == 1);
    }

    private final class Key {

        private final int number;

        private Key(int element) {
            this.number = element - element % 10;
        }

        /** Only the key that looks for its lane is hostile, not the ones that it meets. */
        private boolean isHostile(Fault asked) {
            return number == hostile && fault == asked && timesLeft > 0;
        }

        private void maybeThrow(Fault asked) {
            if (isHostile(asked)) {
                timesLeft--;
                throw broken;
            }
        }

        @Override
        public int hashCode() {
            maybeThrow(Fault.HASH_THROWS);
            return isHostile(Fault.HASH_CHANGES) ? 1 : 0;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            maybeThrow(Fault.EQUALS_THROWS);
            return other instanceof Key key && key.number == number;
        }
    }

    private static final class Recording extends RecordingStream {

        private final List<Integer> delivered = new ArrayList<>();
        private boolean isFatal;

        @Override
        public boolean next(Integer element) {
            delivered.add(element);
            return super.next(element);
        }

        @Override
        public void error(Throwable error) {
            heard.add("error " + error.getMessage());
        }

        @Override
        public void requestFromSource(long elements) {}

        @Override
        public void discard(Integer element) {}

        @Override
        public void errorDropped(Throwable error) {
            heard.add("dropped " + error.getMessage());
        }

        @Override
        public void throwIfFatal(Throwable thrown) {
            if (isFatal) {
                throw (RuntimeException) thrown;
            }
        }
    }
}
