package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Concurrently;
import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterObserver;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.stream.WhenFull;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A stream that is cancelled while its drain is busy with foreign code: its requests leave the limiters at once, and take no
 * permits. The key of an element is its tens.
 */
class CancelledWhileBusyTest {

    private static final int FREE = 1;

    private final PassingTime time = new PassingTime(() -> 0);
    private final Queue<Runnable> line = new ArrayDeque<>();
    private final List<Object> dropped = new ArrayList<>();
    private final List<String> others = new ArrayList<>();
    private final RateLimiter free = RateLimiter.of(Limit.unlimited());
    private final Downstream downstream = new Downstream();
    private Runnable onQueued = () -> {};

    private final RateLimiter busy = RateLimiter.builder(Limit.of(1, Duration.ofSeconds(1)))
            .timeSource(time)
            .queueLimit(1)
            .observer(new RateLimiterObserver() {
                @Override
                public void onQueued(int permits) {
                    onQueued.run();
                }
            })
            .build();

    private StreamOptions options() {
        return StreamOptions.defaults().onDropped(dropped::add);
    }

    private ElementGate<Integer> perKey(StreamOptions options) {
        LimiterPlan<Integer> plan =
                GatePlan.<Integer, Integer>perKey(key -> key == FREE ? free : busy, element -> element / 10, options);
        return started(plan);
    }

    private ElementGate<Integer> started(LimiterPlan<Integer> plan) {
        busy.tryConsume(1);
        ElementGate<Integer> gate = new ElementGate<>(plan, downstream, line::add);
        gate.start();
        gate.request(Long.MAX_VALUE);
        return gate;
    }

    /** Cancels, and finds out whether others have room at the limiter and its next permit, before the drain goes on. */
    private void cancel(ElementGate<Integer> gate) {
        gate.cancel();
        lookAtOthers();
    }

    private void lookAtOthers() {
        busy.acquire(
                1,
                lease -> others.add(
                        lease.isAcquired()
                                ? "granted"
                                : lease.reason().orElseThrow().name()));
        time.pass(Duration.ofSeconds(1).toNanos());
        while (time.runNext()) {}
    }

    @Test
    @DisplayName("busy with an element of another key: the room is back at once, and the permit goes to another")
    void withAnotherKey() {
        ElementGate<Integer> gate = perKey(options());
        downstream.onNext = () -> cancel(gate);
        gate.offer(20);
        gate.offer(10);
        assertThat(others).containsExactly("granted");
        assertThat(downstream.received).containsExactly(10);
        assertThat(dropped).containsExactly(20);
    }

    @Test
    @DisplayName("granted before, and not yet gone on: the permit is back at once")
    void afterTheGrant() {
        ElementGate<Integer> gate = perKey(options());
        downstream.onNext = () -> {
            gate.cancel();
            assertThat(busy.availablePermits()).isEqualTo(1);
        };
        gate.offer(20);
        time.runNext();
        assertThat(line).as("granted").hasSize(1);
        assertThat(busy.availablePermits()).isZero();
        gate.offer(10);
        line.remove().run();
        assertThat(downstream.received).isNotEmpty().doesNotHaveDuplicates();
        assertThat(dropped.size() + downstream.received.size()).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "two keys granted, the first cancels: the permit of the second is back at once, and its element dropped")
    void granted() {
        RateLimiter slots = RateLimiter.of(Limit.concurrency(2));
        Lease both = slots.tryAcquire(2);
        ElementGate<Integer> gate =
                started(GatePlan.<Integer, Integer>perKey(key -> slots, element -> element / 10, options()));
        downstream.onNext = () -> {
            gate.cancel();
            assertThat(slots.availablePermits())
                    .as("all but that of the element here")
                    .isEqualTo(1);
        };
        gate.offer(20);
        gate.offer(30);
        both.close();
        for (Runnable task; (task = line.poll()) != null; ) {
            task.run();
        }
        assertThat(downstream.received).containsExactly(20);
        assertThat(dropped).containsExactly(30);
        assertThat(slots.availablePermits()).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "busy with asking the source for more, in place of elements without a price, a stream without keys too")
    void withTheSource() {
        ElementGate<Integer> gate = started(
                GatePlan.weighted(busy, element -> 1 / element, options().prefetch(4)));
        gate.offer(1);
        downstream.onRequest = () -> {
            downstream.onRequest = () -> {};
            cancel(gate);
        };
        IntStream.of(0, 0, 0).forEach(gate::offer);
        assertThat(downstream.requested).isEqualTo(7);
        assertThat(others).containsExactly("granted");
        assertThat(dropped).containsExactly(0, 0, 0, 1);
    }

    @Test
    @DisplayName("busy with an element that is evicted")
    void withAnEvictedOne() {
        ElementGate<Integer> gate = perKey(StreamOptions.defaults()
                .buffer(2)
                .whenFull(WhenFull.EVICT_OLDEST)
                .onDropped(element -> {
                    dropped.add(element);
                    downstream.onDropped.run();
                }));
        gate.offer(20);
        gate.offer(21);
        downstream.onDropped = () -> {
            downstream.onDropped = () -> {};
            cancel(gate);
        };
        gate.offer(22);
        assertThat(others).containsExactly("granted");
        assertThat(dropped).containsExactlyInAnyOrder(20, 21, 22);
    }

    @Test
    @DisplayName("while the request is being made: it is withdrawn as soon as it is made")
    void whileAsking() {
        ElementGate<Integer> gate = perKey(options());
        onQueued = () -> {
            onQueued = () -> {};
            gate.cancel();
        };
        gate.offer(20);
        lookAtOthers();
        assertThat(others).containsExactly("granted");
        assertThat(dropped).containsExactly(20);
    }

    static IntStream seeds() {
        return IntStream.rangeClosed(1, 10);
    }

    /**
     * A stream that waits at one key and is busy with an element of another, or with asking for more, until it has been cancelled
     * by one thread, and granted its permit by another.
     */
    private static final class Race {

        private final RateLimiter slot = RateLimiter.of(Limit.concurrency(1));
        private final Lease taken = slot.tryAcquire();
        private final CountDownLatch over = new CountDownLatch(2);
        private final Queue<Object> dropped = new ConcurrentLinkedQueue<>();
        private final Queue<Runnable> line = new ConcurrentLinkedQueue<>();
        private final List<String> found = new ArrayList<>();
        private final Downstream downstream = new Downstream();
        private final ElementGate<Integer> gate;

        Race() {
            RateLimiter free = RateLimiter.of(Limit.unlimited());
            StreamOptions options = StreamOptions.defaults().prefetch(2).onDropped(dropped::add);
            gate = new ElementGate<>(
                    GatePlan.<Integer, Integer>perKey(
                            key -> key == FREE ? free : slot, element -> element / 10, options),
                    downstream,
                    line::add);
            gate.start();
            gate.request(Long.MAX_VALUE);
            gate.offer(10);
        }

        /** The source is asked for more as soon as 20 has made its request. */
        void offer(boolean isBusyWithSource) {
            downstream.onNext = this::remainBusy;
            downstream.onRequest = isBusyWithSource ? this::remainBusy : () -> {};
            gate.offer(20);
            gate.offer(11);
        }

        void cancel() {
            gate.cancel();
            over.countDown();
        }

        void grant() {
            taken.close();
            over.countDown();
        }

        private void remainBusy() {
            try {
                over.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            boolean has20 = downstream.received.contains(20);
            found.add((has20 ? 1 : slot.availablePermits()) + " free, "
                    + slot.statistics().queuedPermits() + " waiting");
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("whatever else happens at that moment, on threads")
    void race(int seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            Race race = new Race();
            boolean isBusyWithSource = random.nextBoolean();
            int[] spins = {random.nextInt(500), random.nextInt(500), random.nextInt(500)};
            Concurrently.run(3, thread -> {
                for (int spin = 0; spin < spins[thread]; spin++) {
                    Thread.onSpinWait();
                }
                switch (thread) {
                    case 0 -> race.offer(isBusyWithSource);
                    case 1 -> race.cancel();
                    default -> race.grant();
                }
            });
            race.line.forEach(Runnable::run);
            assertThat(race.found).allMatch("1 free, 0 waiting"::equals);
            assertThat(race.downstream.received.size() + race.dropped.size()).isEqualTo(3);
            assertThat(race.slot.availablePermits()).isEqualTo(1);
            assertThat(race.slot.statistics().queuedPermits()).isZero();
        }
    }

    private static final class Downstream extends TestStream {

        private final List<Integer> received = new ArrayList<>();
        private Runnable onNext = () -> {};
        private Runnable onRequest = () -> {};
        private Runnable onDropped = () -> {};
        private long requested;

        @Override
        public boolean next(Integer element) {
            received.add(element);
            onNext.run();
            return true;
        }

        @Override
        public void requestFromSource(long elements) {
            requested += elements;
            onRequest.run();
        }

        @Override
        public @Nullable Throwable functionFailed(Integer element, Throwable failure) {
            return null;
        }

        @Override
        public void discard(Integer element) {}
    }
}
