package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SerialDrainTest {

    private final SerialDrain drain = new SerialDrain();

    @Test
    @DisplayName("a thread that finds another inside the drain leaves, and brings about another pass")
    void signalWhileInsideBringsAnotherPass() {
        assertThat(drain.enter()).isTrue();
        assertThat(drain.enter()).isFalse();
        assertThat(drain.enter()).isFalse();
        assertThat(drain.leave()).isFalse();
        assertThat(drain.leave()).isTrue();
        assertThat(drain.enter()).isTrue();
    }

    @Test
    @Tag("storm")
    @DisplayName("eight threads: never two inside, no signal lost")
    void neverTwoInsideAndNoSignalLost() {
        int threads = 8;
        int signals = 50_000;
        AtomicInteger sent = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        int[] seen = new int[1]; // guarded by the drain
        CountDownLatch all = new CountDownLatch(threads);
        Concurrently.run(threads, thread -> {
            all.countDown();
            all.await();
            for (int i = 0; i < signals; i++) {
                sent.incrementAndGet();
                if (drain.enter()) {
                    do {
                        overlaps.addAndGet(inside.getAndIncrement());
                        seen[0] = sent.get();
                        inside.decrementAndGet();
                    } while (!drain.leave());
                }
            }
        });
        assertThat(overlaps).hasValue(0);
        assertThat(seen[0]).isEqualTo(threads * signals);
    }
}
