package dev.weir.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Iterator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** A million elements whose permits are always there. */
class MillionElementsTest {

    private static final int MILLION = 1_000_000;

    /** Fewer bytes for each element than any object needs. */
    private static final long NOTHING = 2L * MILLION;

    /** One element, so that boxing counts for nothing. */
    private static final Object ELEMENT = new Object();

    static Stream<Named<RateLimit<Object>>> limits() {
        RateLimiter unlimited = RateLimiter.of(Limit.unlimited());
        return Stream.of(
                Named.of("own, unlimited", RateLimit.of(Limit.unlimited())),
                Named.of("own, a huge bucket", RateLimit.of(Limit.tokenBucket(2 * MILLION, 1, Duration.ofSeconds(1)))),
                Named.of("shared", RateLimit.with(unlimited)),
                Named.of(
                        "reading ahead",
                        RateLimit.with(unlimited, StreamOptions.defaults().prefetch(256))),
                Named.of(
                        "buffering",
                        RateLimit.with(unlimited, StreamOptions.defaults().buffer(256))),
                Named.of("weighted", RateLimit.weighted(unlimited, element -> 3)));
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("all at once: no stack growth, nothing allocated for an element")
    void unboundedDemand(RateLimit<Object> limit) {
        assertNothingAllocated(constant().transform(limit), Long.MAX_VALUE);
        assertNothingAllocated(constant().hide().transform(limit), Long.MAX_VALUE);
    }

    @ParameterizedTest
    @MethodSource("limits")
    @DisplayName("requested one by one from within onNext: no stack growth, nothing allocated for an element")
    void oneByOne(RateLimit<Object> limit) {
        assertNothingAllocated(constant().transform(limit), 1);
        assertNothingAllocated(constant().hide().transform(limit), 1);
    }

    /** Sends the same object again and again. */
    private static Flux<Object> constant() {
        return Flux.fromIterable(() -> new Iterator<>() {
            private int left = MILLION;

            @Override
            public boolean hasNext() {
                return left > 0;
            }

            @Override
            public Object next() {
                left--;
                return ELEMENT;
            }
        });
    }

    private static void assertNothingAllocated(Flux<Object> million, long demand) {
        million.subscribe(new Counter(demand)); // loads classes
        Counter counter = new Counter(demand);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        million.subscribe(counter);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(counter.received).isEqualTo(MILLION);
        assertThat(counter.completed).isTrue();
        assertThat(allocated).isLessThan(NOTHING);
    }

    private static final class Counter extends BaseSubscriber<Object> {

        private final long demand;
        private int received;
        private boolean completed;

        private Counter(long demand) {
            this.demand = demand;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            request(demand);
        }

        @Override
        protected void hookOnNext(Object value) {
            received++;
            if (demand < Long.MAX_VALUE) {
                request(demand);
            }
        }

        @Override
        protected void hookOnComplete() {
            completed = true;
        }
    }
}
