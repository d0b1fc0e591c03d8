package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A virtual thread that waits for a permit frees the thread that carries it: the flight recorder, which hears of every wait
 * that does not, hears of none. Named apart from the tests of every JDK, as only one that has virtual threads can run it.
 */
@Timeout(60)
class NoPinningOnVirtualThreads {

    private static final int THREADS = 500;
    private static final Limit LIMIT = Limit.of(50, Duration.ofMillis(10));

    @TempDir
    private Path folder;

    private final AtomicInteger virtual = new AtomicInteger();

    @Test
    @DisplayName("at the gate")
    void atTheGate() throws Exception {
        try (RateGate gate = new RateGate(RateLimiter.of(LIMIT))) {
            assertThat(pinnedWhile(() -> {
                        gate.waitToProceed();
                        assertThat(gate.waitToProceed(Duration.ofMinutes(1))).isTrue();
                    }))
                    .isEmpty();
        }
    }

    @Test
    @DisplayName("at the future of a lease")
    void atTheFuture() throws Exception {
        RateLimiter limiter = RateLimiter.of(LIMIT);
        assertThat(pinnedWhile(
                        () -> assertThat(limiter.acquire().join().isAcquired()).isTrue()))
                .isEmpty();
        assertThat(limiter.statistics().acquired()).isEqualTo(THREADS);
    }

    @Test
    @DisplayName("a thread that closes leases pins none")
    void whereLeasesAreClosed() throws Exception {
        RateLimiter limiter = RateLimiter.of(Limit.concurrency(3));
        assertThat(pinnedWhile(() -> limiter.acquire().join().close())).isEmpty();
        assertThat(limiter.availablePermits()).isEqualTo(3);
    }

    @Test
    @DisplayName("the recorder would hear of it")
    void recorderHears() throws Exception {
        assertThat(pinnedWhile(Pinning::pin)).isNotEmpty();
    }

    /** Has many virtual threads do the same, and returns what they did while they kept their carriers. */
    private List<RecordedEvent> pinnedWhile(Body body) throws Exception {
        AtomicInteger succeeded = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(THREADS);
        Path file = folder.resolve("pinned.jfr");
        try (Recording recording = new Recording()) {
            recording
                    .enable("jdk.VirtualThreadPinned")
                    .withThreshold(Duration.ZERO)
                    .withStackTrace();
            recording.start();
            for (int thread = 0; thread < THREADS; thread++) {
                VirtualThreads.start(() -> {
                    try {
                        virtual.addAndGet(VirtualThreads.isCurrent() ? 1 : 0);
                        body.run();
                        succeeded.incrementAndGet();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } finally {
                        ended.countDown();
                    }
                });
            }
            assertThat(ended.await(50, TimeUnit.SECONDS)).isTrue();
            recording.stop();
            recording.dump(file);
        }
        assertThat(virtual).hasValue(THREADS);
        assertThat(succeeded).hasValue(THREADS);
        return ourOwn(file);
    }

    private static List<RecordedEvent> ourOwn(Path file) throws IOException {
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getStackTrace() != null
                        && event.getStackTrace().getFrames().stream()
                                .anyMatch(frame ->
                                        frame.getMethod().getType().getName().startsWith("dev.weir.")))
                .toList();
    }

    private interface Body {
        void run() throws InterruptedException;
    }

    /** Waits below a frame of the virtual machine, as initializers of classes do. */
    private static final class Pinning {

        static {
            LockSupport.parkNanos(1_000_000);
        }

        static void pin() {}
    }
}
