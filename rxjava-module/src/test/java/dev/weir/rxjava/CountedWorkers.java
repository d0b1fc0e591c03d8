package dev.weir.rxjava;

import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A scheduler that counts the workers of another. */
final class CountedWorkers extends Scheduler {

    final AtomicInteger made = new AtomicInteger();
    final AtomicInteger disposed = new AtomicInteger();
    private final Scheduler scheduler;

    CountedWorkers(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public Worker createWorker() {
        made.incrementAndGet();
        Worker worker = scheduler.createWorker();
        AtomicBoolean first = new AtomicBoolean(true);
        return new Worker() {
            @Override
            public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
                return worker.schedule(task, delay, unit);
            }

            @Override
            public void dispose() {
                if (first.getAndSet(false)) {
                    disposed.incrementAndGet();
                }
                worker.dispose();
            }

            @Override
            public boolean isDisposed() {
                return worker.isDisposed();
            }
        };
    }
}
