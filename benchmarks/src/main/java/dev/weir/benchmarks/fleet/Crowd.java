package dev.weir.benchmarks.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Many callers at once, for a while. */
final class Crowd {

    private static final int THREADS = 2;
    private static final long PATIENCE_SECONDS = 30;

    private final Executor threads = Executors.newFixedThreadPool(THREADS, task -> {
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Caller> callers = new ArrayList<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile CountDownLatch inside = new CountDownLatch(0);
    private volatile long until;

    /** A crowd of callers, each of whom asks the gates of one node. */
    Crowd(List<Gate[]> gatesOfNodes, int count) {
        for (int i = 0; i < count; i++) {
            Gate[] gates = gatesOfNodes.get(i % gatesOfNodes.size());
            int spread = (int) ((long) i * gates.length / count);
            callers.add(new Caller(this, gates, spread));
        }
    }

    /** Lets all ask for so long. Returns, when all have left, how long each answer took. */
    Histogram run(long nanos) {
        inside = new CountDownLatch(callers.size());
        until = System.nanoTime() + nanos;
        callers.forEach(caller -> execute(caller::begin));
        try {
            if (!inside.await(nanos + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS), TimeUnit.NANOSECONDS)) {
                throw new IllegalStateException(inside.getCount() + " have no answer", failure.get());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (failure.get() != null) {
            throw new IllegalStateException("an answer is missing", failure.get());
        }
        Histogram all = new Histogram(callers.get(0).nanos());
        callers.forEach(caller -> all.add(caller.nanos()));
        return all;
    }

    void execute(Runnable task) {
        threads.execute(task);
    }

    boolean isOver(long nowNanos) {
        return nowNanos - until >= 0 || failure.get() != null;
    }

    void failed(Throwable cause) {
        failure.compareAndSet(null, cause);
    }

    void left() {
        inside.countDown();
    }
}
