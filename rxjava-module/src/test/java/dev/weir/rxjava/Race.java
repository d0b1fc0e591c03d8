package dev.weir.rxjava;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs things at the same time, on threads that are kept for the next round. */
final class Race implements AutoCloseable {

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "racer");
        thread.setDaemon(true);
        return thread;
    });

    void run(Runnable... racers) {
        CyclicBarrier start = new CyclicBarrier(racers.length);
        List<Future<?>> running = new ArrayList<>();
        for (Runnable racer : racers) {
            running.add(threads.submit(() -> {
                await(start);
                racer.run();
            }));
        }
        for (Future<?> racer : running) {
            try {
                racer.get(30, TimeUnit.SECONDS);
            } catch (InterruptedException | ExecutionException | TimeoutException failure) {
                throw new AssertionError(failure);
            }
        }
    }

    private static void await(CyclicBarrier start) {
        try {
            start.await();
        } catch (InterruptedException | BrokenBarrierException failure) {
            throw new AssertionError(failure);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
