package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.InThreads;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A worker is made for the first task, and disposed of once. */
class StreamWorkerTest {

    private final AtomicInteger made = new AtomicInteger();
    private final Set<Integer> disposed = ConcurrentHashMap.newKeySet();

    private StreamWorker<Integer> worker() {
        return new StreamWorker<>(
                made::incrementAndGet,
                (number, task) -> task.run(),
                number -> assertThat(disposed.add(number)).isTrue());
    }

    @Test
    @DisplayName(
            "release against a worker that is about to be made: none is left behind, and no task is taken after that")
    void releaseAgainstTheFirstTask() {
        for (int round = 0; round < 1_000; round++) {
            StreamWorker<Integer> worker = worker();
            AtomicBoolean isReleased = new AtomicBoolean();
            CyclicBarrier start = new CyclicBarrier(3);
            InThreads.run(3, thread -> {
                start.await();
                if (thread == 0) {
                    isReleased.set(true);
                    StreamWorker.release(worker);
                    return;
                }
                try {
                    worker.execute(() -> {});
                } catch (RejectedExecutionException afterRelease) {
                    assertThat(isReleased).isTrue();
                }
            });
            assertThat(disposed).as("round %d", round).hasSize(made.get());
            assertThatThrownBy(() -> worker.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        }
    }

    @Test
    @DisplayName("released before the first task: no worker is made")
    void neverMade() {
        StreamWorker<Integer> worker = worker();
        StreamWorker.release(worker);
        assertThatThrownBy(() -> worker.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(made).hasValue(0);
    }

    @Test
    @DisplayName("a scheduler that makes no worker has rejected the task")
    void cannotBeMade() {
        IllegalStateException failure = new IllegalStateException("no workers");
        StreamWorker<Integer> worker = new StreamWorker<>(
                () -> {
                    throw failure;
                },
                (number, task) -> task.run(),
                number -> {});
        assertThatThrownBy(() -> worker.execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasCause(failure);
    }
}
