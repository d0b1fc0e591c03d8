package dev.weir.gate;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

/** The worker of a stream, which notes when the gate has released it. */
final class RecordingWorker {

    private RecordingWorker() {}

    static Executor of(List<String> heard, Executor executor) {
        return of(heard, executor, () -> {});
    }

    /** Does something when it is released, besides. */
    static Executor of(List<String> heard, Executor executor, Runnable asReleased) {
        Runnable needed = () -> {};
        StreamWorker<Executor> worker = new StreamWorker<>(
                UnaryOperator.identity(),
                () -> executor,
                (there, task) -> {
                    if (task != needed) {
                        there.execute(task);
                    }
                },
                released -> {
                    heard.add("ended");
                    asReleased.run();
                });
        worker.execute(needed); // one that no task has needed would not be there to be released
        return worker;
    }
}
