package dev.weir.benchmarks.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Many callers at once, for a while: first to warm up, then for what counts. */
final class Crowd {

    private static final int THREADS = 2;
    private static final long PATIENCE_SECONDS = 60;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
        Thread thread = new Thread(task, "caller");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Caller> callers = new ArrayList<>();
    private final CountDownLatch inside;
    private final long from;
    private final long until;

    /** A crowd of callers, of which each asks the gates of one node, those of all nodes being given in turn. */
    Crowd(List<Gate[]> gatesOfNodes, int count, long warmupNanos, long nanos) {
        this.inside = new CountDownLatch(count);
        this.from = System.nanoTime() + warmupNanos;
        this.until = from + nanos;
        for (int i = 0; i < count; i++) {
            Gate[] gates = gatesOfNodes.get(i % gatesOfNodes.size());
            // Callers are spread over the keys.
            callers.add(new Caller(this, gates, (int) ((long) i * gates.length / count)));
        }
    }

    /** Returns when all have left. */
    void run() {
        callers.forEach(caller -> execute(caller::ask));
        try {
            if (!inside.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(inside.getCount() + " have no answer", failure.get());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            threads.shutdownNow();
        }
        if (failure.get() != null) {
            throw new IllegalStateException("an answer is missing", failure.get());
        }
    }

    void execute(Runnable task) {
        threads.execute(task);
    }

    boolean isOver() {
        return System.nanoTime() - until >= 0 || failure.get() != null;
    }

    boolean counts(long now) {
        return now - from >= 0 && now - until < 0;
    }

    void failed(Throwable cause) {
        failure.compareAndSet(null, cause);
    }

    void left() {
        inside.countDown();
    }

    long decisions() {
        return callers.stream().mapToLong(Caller::decisions).sum();
    }

    double perSecond() {
        return nanos().getTotalCount() * 1e9 / (until - from);
    }

    Histogram nanos() {
        Histogram all = new Histogram(callers.get(0).nanos());
        callers.forEach(caller -> all.add(caller.nanos()));
        return all;
    }
}
