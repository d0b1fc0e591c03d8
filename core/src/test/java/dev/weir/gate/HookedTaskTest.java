package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Concurrently;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Each task of a stream runs once, within what the hook has captured where the stream was subscribed, whatever hook it is. */
class HookedTaskTest {

    private static final ThreadLocal<String> USER = ThreadLocal.withInitial(() -> "nobody");

    private final Queue<Runnable> pending = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private final AtomicBoolean isFull = new AtomicBoolean();

    private StreamWorker<Queue<Runnable>> worker(UnaryOperator<Runnable> hook) {
        return new StreamWorker<>(hook, () -> pending, this::add, Queue::clear);
    }

    private void add(Queue<Runnable> tasks, Runnable task) {
        if (isFull.get()) {
            throw new RejectedExecutionException("full");
        }
        tasks.add(task);
    }

    private static Runnable carrying(Runnable task) {
        String user = USER.get();
        return () -> {
            String before = USER.get();
            USER.set(user);
            try {
                task.run();
            } finally {
                USER.set(before);
            }
        };
    }

    private StreamWorker<Queue<Runnable>> workerOf(String user) {
        USER.set(user);
        try {
            return worker(HookedTaskTest::carrying);
        } finally {
            USER.remove();
        }
    }

    private Runnable task(String name) {
        return () -> ran.add(name + " as " + USER.get());
    }

    private void runPending() {
        while (!pending.isEmpty()) {
            pending.remove().run();
        }
    }

    @Test
    @DisplayName(
            "two tasks are pending as a third is rejected: both run, the third never does, and nothing is mixed up")
    void rejectedAmongOthers() {
        StreamWorker<?> worker = workerOf("red");
        worker.execute(task("first"));
        worker.execute(task("second"));
        isFull.set(true);
        assertThatThrownBy(() -> worker.execute(task("third")))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("full");
        isFull.set(false);
        worker.execute(task("fourth"));
        runPending();
        assertThat(ran).containsExactly("first as red", "second as red", "fourth as red");
        assertThat(USER.get()).isEqualTo("nobody");
    }

    @Test
    @DisplayName("a task within a task, of the same stream or another: each as its own subscriber")
    void nested() {
        StreamWorker<?> red = workerOf("red");
        StreamWorker<?> blue = workerOf("blue");
        red.execute(() -> {
            blue.execute(task("inner"));
            red.execute(task("own"));
            runPending();
            task("outer").run();
        });
        runPending();
        assertThat(ran).containsExactly("inner as blue", "own as red", "outer as red");
    }

    @Test
    @DisplayName("a hook whose runnable runs another stream's task first")
    void anotherFirst() {
        StreamWorker<?> blue = workerOf("blue");
        StreamWorker<?> red = worker(task -> () -> {
            runPending();
            task.run();
        });
        red.execute(task("outer"));
        blue.execute(task("inner"));
        runPending();
        assertThat(ran).containsExactly("inner as blue", "outer as nobody");
    }

    @Test
    @DisplayName("tasks that run on several threads at once")
    void atOnce() {
        StreamWorker<Integer> worker = new StreamWorker<>(
                task -> () -> task.run(), // not the same
                () -> 1,
                (number, task) -> task.run(),
                number -> {});
        CyclicBarrier together = new CyclicBarrier(3);
        Concurrently.run(3, thread -> {
            AtomicInteger own = new AtomicInteger();
            for (int round = 0; round < 100; round++) {
                together.await();
                worker.execute(own::incrementAndGet);
            }
            assertThat(own).hasValue(100);
        });
    }

    @Test
    @DisplayName("a hook whose runnable runs its task only the first time, never, twice, or not as it throws: once")
    void strangeRunnables() {
        AtomicBoolean first = new AtomicBoolean(true);
        for (UnaryOperator<Runnable> hook : List.<UnaryOperator<Runnable>>of(
                task -> () -> {
                    if (first.getAndSet(false)) {
                        task.run();
                    }
                },
                task -> () -> {},
                task -> () -> {
                    task.run();
                    task.run();
                })) {
            StreamWorker<?> worker = worker(hook);
            worker.execute(task("a"));
            worker.execute(task("b"));
            runPending();
            assertThat(ran).containsExactly("a as nobody", "b as nobody");
            ran.clear();
        }
        worker(task -> () -> {
                    throw new IllegalStateException("broken");
                })
                .execute(task("c"));
        assertThatThrownBy(this::runPending).hasMessage("broken");
        assertThat(ran).containsExactly("c as nobody");
    }

    @Test
    @DisplayName(
            "a hook that throws rejects each task; one that returns nothing, or what it is given, leaves them as they are")
    void strangeHooks() {
        IllegalStateException broken = new IllegalStateException("broken");
        StreamWorker<?> rejecting = worker(task -> {
            throw broken;
        });
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> rejecting.execute(task("never")))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasCause(broken);
        }
        assertThat(pending).isEmpty();
        Runnable task = task("as it is");
        worker(given -> null).execute(task);
        worker(UnaryOperator.identity()).execute(task);
        assertThat(pending).containsExactly(task, task);
    }

    @Test
    @DisplayName("what a task throws goes on, and the task does not run again")
    void throwing() {
        workerOf("red").execute(() -> {
            task("once").run();
            throw new IllegalStateException("of the task");
        });
        assertThatThrownBy(this::runPending).hasMessage("of the task");
        assertThat(ran).containsExactly("once as red");
    }
}
