package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.DelegatingTime;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A limiter that throws after a stream has waited for it: the stream fails, and holds nothing back. */
class FailingLimiterTest {

    private final IllegalStateException broken = new IllegalStateException("on purpose");
    private final PassingTime time = new PassingTime(new Random(1), 0);
    private final Queue<Runnable> line = new ArrayDeque<>();
    private final List<Integer> dropped = new ArrayList<>();
    private boolean isBroken;

    private final TimeSource brittle = new DelegatingTime(time) {
        @Override
        public long nanoTime() {
            if (isBroken) {
                throw broken;
            }
            return super.nanoTime();
        }
    };
    private final RateLimiter limiter = limiter(1);
    private final RateLimiter threeASecond = limiter(3);

    private RateLimiter limiter(int permits) {
        return RateLimiter.builder(Limit.of(permits, Duration.ofSeconds(1)))
                .timeSource(brittle)
                .build();
    }

    private StreamOptions options() {
        return StreamOptions.defaults().prefetch(4).onDropped(element -> dropped.add((Integer) element));
    }

    @Test
    @DisplayName("a limiter that others ask as well, on an executor")
    void shared() {
        Downstream downstream = new Downstream();
        breaksAfterTheWait(new ElementGate<>(GatePlan.of(limiter, options()), downstream, line::add), downstream);
    }

    @Test
    @DisplayName("a limiter of a key")
    void ofKey() {
        Downstream downstream = new Downstream();
        LimiterPlan<Integer> plan = GatePlan.perKey(key -> limiter, element -> "key", options());
        breaksAfterTheWait(new ElementGate<>(plan, downstream, line::add), downstream);
    }

    private void breaksAfterTheWait(ElementGate<Integer> gate, Downstream downstream) {
        gate.start();
        gate.request(Long.MAX_VALUE);
        for (int element = 1; element <= 4; element++) {
            gate.offer(element);
        }
        downstream.breakWith = 2;
        time.runNext();
        line.remove().run();
        for (Runnable task; (task = line.poll()) != null; ) {
            task.run();
        }
        assertThat(downstream.received).containsExactly(1, 2);
        assertThat(downstream.error).isSameAs(broken);
        assertThat(dropped).containsExactly(3, 4);
        gate.offer(5);
        assertThat(dropped).as("what comes too late is dropped at once").containsExactly(3, 4, 5);
    }

    @Test
    @DisplayName("a limiter of the stream's own that said the permit is there")
    void own() {
        Downstream downstream = new Downstream();
        ElementGate<Integer> gate =
                new ElementGate<>(OneLimiterPlan.own(limiter, time, options()), downstream, line::add);
        gate.start();
        gate.request(Long.MAX_VALUE);
        gate.offer(1);
        gate.offer(2);
        time.runNext();
        isBroken = true;
        line.remove().run();
        assertThat(downstream.received).containsExactly(1);
        assertThat(downstream.error).isSameAs(broken);
        assertThat(dropped).containsExactly(2);
    }

    @Test
    @DisplayName("a limiter that cannot take back what a cheaper element does not need")
    void takingBack() {
        Downstream downstream = new Downstream();
        StreamOptions newestFirst = options().order(QueueOrder.NEWEST_FIRST);
        LimiterPlan<Integer> plan = GatePlan.weighted(threeASecond, cost -> cost, newestFirst);
        ElementGate<Integer> gate = new ElementGate<>(plan, downstream, line::add);
        threeASecond.tryConsume(3);
        gate.start();
        gate.request(Long.MAX_VALUE);
        gate.offer(3);
        time.runNext();
        isBroken = true;
        gate.offer(1);
        assertThat(downstream.received).containsExactly(1);
        assertThat(downstream.error).isSameAs(broken);
        assertThat(dropped).containsExactly(3);
    }

    @Test
    @DisplayName("a lease that cannot be closed fails the stream at once, though nothing more is wanted")
    void closing() {
        Downstream downstream = new Downstream();
        RateLimiter slot = slot();
        ElementGate<Integer> gate = new ElementGate<>(GatePlan.of(slot, options()), downstream, null);
        gate.start();
        gate.request(1);
        downstream.breakWith = 1;
        gate.offer(1);
        assertThat(downstream.received).containsExactly(1);
        assertThat(downstream.error).isSameAs(broken);
    }

    /** Reads the clock as its last lease is closed. */
    private RateLimiter slot() {
        return RateLimiter.builder(Limit.concurrency(1)).timeSource(brittle).build();
    }

    private final class Downstream extends TestStream {

        private final List<Integer> received = new ArrayList<>();
        private @Nullable Throwable error;
        private int breakWith;

        @Override
        public boolean next(Integer element) {
            received.add(element);
            isBroken = element == breakWith;
            return true;
        }

        @Override
        public void requestFromSource(long elements) {}

        @Override
        public void discard(Integer element) {}

        @Override
        public void error(Throwable failure) {
            error = failure;
        }
    }
}
