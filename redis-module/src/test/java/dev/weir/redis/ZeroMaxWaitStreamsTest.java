package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.gate.CallGate;
import dev.weir.gate.ElementGate;
import dev.weir.gate.GatePlan;
import dev.weir.gate.GatedCall;
import dev.weir.gate.GatedStream;
import dev.weir.limit.Limit;
import dev.weir.stream.OnRefused;
import dev.weir.stream.StreamOptions;
import dev.weir.testkit.VirtualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Streams and gated calls that enforce a limit of a fleet and never delay. */
class ZeroMaxWaitStreamsTest {

    private static final Duration MILLI = Duration.ofMillis(1);
    private static final Limit LIMIT = Limit.of(10, Duration.ofSeconds(1));

    private final VirtualTimeSource time = new VirtualTimeSource(-1);
    private final RateLimiter limiter = ModelFleet.builder(
                    LIMIT, new DistantStore(new ModelStore(LIMIT, time), time, MILLI.toNanos()), WhenUnavailable.LOCAL)
            .timeSource(time)
            .build();

    private final StreamOptions options =
            StreamOptions.defaults().maxWait(Duration.ZERO).onRefused(OnRefused.DROP);

    private final List<Integer> passed = new ArrayList<>();
    private final List<Object> dropped = new ArrayList<>();

    /** What a stream hears. */
    private final class Heard implements GatedStream<Integer> {

        @Override
        public boolean next(Integer element) {
            return passed.add(element);
        }

        @Override
        public void complete() {}

        @Override
        public void error(Throwable error) {
            throw new AssertionError(error);
        }

        @Override
        public void requestFromSource(long elements) {}

        @Override
        public void cancelSource() {}

        @Override
        public void discard(Integer element) {
            dropped.add(element);
        }

        @Override
        public void elementDropped(Integer element) {}

        @Override
        public void errorDropped(Throwable error) {}

        @Override
        public Throwable overflow(Integer element) {
            return new AssertionError(element);
        }
    }

    /** What a gated call hears. */
    private final class Call implements GatedCall<Integer, String> {

        private final int number;

        Call(int number) {
            this.number = number;
        }

        @Override
        public void subscribe(Lease lease) {
            passed.add(number);
        }

        @Override
        public void requestFromSource(String upstream, long elements) {}

        @Override
        public void cancelSource(String upstream) {}

        @Override
        public void next(Integer element) {}

        @Override
        public void complete() {
            dropped.add(number);
        }

        @Override
        public void error(Throwable error) {
            throw new AssertionError(error);
        }

        @Override
        public void discard(Integer element) {}

        @Override
        public void elementDropped(Integer element) {}

        @Override
        public void errorDropped(Throwable error) {
            throw new AssertionError(error);
        }
    }

    @Test
    @DisplayName("of a stream within the limit every element passes, a trip late; of what exceeds it, each is dropped")
    void elements() {
        ElementGate<Integer> gate = new ElementGate<>(GatePlan.of(limiter, options), new Heard(), Runnable::run);
        gate.start();
        gate.request(Long.MAX_VALUE);
        for (int i = 0; i < 20; i++) {
            gate.offer(i);
            time.advanceBy(MILLI);
            assertThat(passed).hasSize(i + 1);
            time.advanceBy(Duration.ofMillis(199));
        }
        for (int i = 20; i < 40; i++) {
            gate.offer(i);
            time.advanceBy(MILLI);
        }
        assertThat(passed.size() + dropped.size()).isEqualTo(40);
        assertThat(passed).hasSizeBetween(20 + 6, 20 + 7);
    }

    @Test
    @DisplayName("of calls at once as many begin as the limit allows, and the others are skipped")
    void calls() {
        List<CallGate<Integer, String>> gates = IntStream.range(0, 15)
                .mapToObj(number -> new CallGate<>(limiter, 1, options, null, new Call(number)))
                .toList();
        gates.forEach(CallGate::enter);
        time.advanceBy(MILLI.multipliedBy(2));
        assertThat(passed).hasSize(10);
        assertThat(dropped).hasSize(5);
    }
}
