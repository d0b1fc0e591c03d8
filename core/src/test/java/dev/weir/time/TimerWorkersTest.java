package dev.weir.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TimerWorkersTest {

    private static final int BLOCKED = 20;

    private final TimerThread timer = new TimerThread(System::nanoTime, DaemonThreads.named("test-timer-"));
    private final TimerWorkers workers = new TimerWorkers(timer);

    @AfterEach
    void stop() {
        workers.shutdownNow();
    }

    @Test
    @DisplayName("tasks that block delay no others")
    void blockedTasksDelayNoOthers() throws InterruptedException {
        CountDownLatch release = block();
        CountDownLatch ran = new CountDownLatch(1);
        workers.execute(ran::countDown);
        assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
        release.countDown();
    }

    @Test
    @DisplayName("threads that were added end once nothing is queued, though there is steady work")
    void addedThreadsEnd() throws InterruptedException {
        int few = workers.getCorePoolSize();
        CountDownLatch release = block();
        assertThat(workers.getPoolSize()).isGreaterThanOrEqualTo(BLOCKED);
        release.countDown();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(8); // before any thread has been idle for long
        while (workers.getPoolSize() > few && System.nanoTime() - end < 0) {
            CountDownLatch ran = new CountDownLatch(1);
            workers.execute(ran::countDown);
            assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(workers.getPoolSize()).isLessThanOrEqualTo(few);
    }

    /** Keeps as many threads busy as there are few, and many more, until released. */
    private CountDownLatch block() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(BLOCKED);
        CountDownLatch release = new CountDownLatch(1);
        for (int task = 0; task < BLOCKED; task++) {
            workers.execute(() -> {
                begun.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        return release;
    }
}
