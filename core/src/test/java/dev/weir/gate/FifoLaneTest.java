package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** One thread offers, one takes. */
class FifoLaneTest {

    private static final RateLimiter LIMITER = RateLimiter.of(Limit.unlimited());

    @Test
    @DisplayName("in order of arrival, with the cost that came along, and no more than there is room for")
    void inOrder() {
        FifoLane<Integer> lane = new FifoLane<>(LIMITER, 3);
        for (int lap = 0; lap < 5; lap++) {
            assertThat(lane.isEmpty()).isTrue();
            for (int i = 0; i < 3; i++) {
                assertThat(lane.offer(i, 10 + i)).isTrue();
            }
            assertThat(lane.offer(3, 13)).isFalse();
            assertThat(lane.size()).isEqualTo(3);
            for (int i = 0; i < 3; i++) {
                assertThat(lane.cost()).isEqualTo(10 + i);
                assertThat(lane.take()).isEqualTo(i);
            }
        }
    }

    @Test
    @DisplayName("300,000 elements between two threads: none lost, none twice, none out of order")
    void betweenTwoThreads() throws InterruptedException {
        int elements = 300_000;
        FifoLane<Integer> lane = new FifoLane<>(LIMITER, 10_000);
        AtomicInteger wrong = new AtomicInteger();
        Thread taker = new Thread(() -> {
            for (int expected = 0; expected < elements; ) {
                if (lane.isEmpty()) {
                    Thread.onSpinWait();
                } else {
                    int cost = lane.cost();
                    int taken = lane.take();
                    if (taken != expected || cost != expected) {
                        wrong.incrementAndGet();
                    }
                    expected++;
                }
            }
        });
        taker.start();
        for (int next = 0; next < elements; ) {
            if (lane.offer(next, next)) {
                next++;
            } else {
                Thread.onSpinWait();
            }
        }
        taker.join();
        assertThat(wrong).hasValue(0);
        assertThat(lane.isEmpty()).isTrue();
    }
}
