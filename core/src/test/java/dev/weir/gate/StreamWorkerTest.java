package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Concurrently;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A worker is made for the first task, and disposed of once. */
class StreamWorkerTest {

    private final AtomicInteger made = new AtomicInteger();
    private final Set<Integer> disposed = ConcurrentHashMap.newKeySet();

    private Runnable beforeItRuns = () -> {};

    private StreamWorker<Integer> worker() {
        return new StreamWorker<>(
                UnaryOperator.identity(),
                made::incrementAndGet,
                this::run,
                number -> assertThat(disposed.add(number)).isTrue());
    }

    private void run(int worker, Runnable task) {
        beforeItRuns.run();
        if (disposed.contains(worker)) {
            throw new RejectedExecutionException("disposed");
        }
        task.run();
    }

    @Test
    @DisplayName(
            "release against a worker that is about to be made: none is left behind, and each task has run or is rejected")
    void releaseAgainstTheFirstTask() {
        for (int round = 0; round < 1_000; round++) {
            StreamWorker<Integer> worker = worker();
            AtomicBoolean isReleased = new AtomicBoolean();
            AtomicInteger ran = new AtomicInteger();
            AtomicInteger rejected = new AtomicInteger();
            CyclicBarrier start = new CyclicBarrier(3);
            Concurrently.run(3, thread -> {
                start.await();
                if (thread == 0) {
                    isReleased.set(true);
                    StreamWorker.release(worker);
                    return;
                }
                try {
                    worker.execute(ran::incrementAndGet);
                } catch (RejectedExecutionException afterRelease) {
                    rejected.incrementAndGet();
                    assertThat(isReleased).isTrue();
                }
            });
            assertThat(ran.get() + rejected.get()).as("round %d", round).isEqualTo(2);
            assertThat(disposed).as("round %d", round).hasSize(made.get());
            assertThatThrownBy(() -> worker.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        }
    }

    @Test
    @DisplayName("released as a task is on its way to the worker: what the worker says of it is not kept back")
    void releasedOnTheWay() {
        StreamWorker<Integer> worker = worker();
        beforeItRuns = () -> StreamWorker.release(worker);
        assertThatThrownBy(() -> worker.execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("disposed");
        assertThat(disposed).containsExactly(1);
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
                UnaryOperator.identity(),
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
