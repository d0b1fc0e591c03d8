package dev.weir.reactor;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** A scheduler that counts the workers of another. */
final class CountedWorkers implements Scheduler {

    final AtomicInteger made = new AtomicInteger();
    final AtomicInteger disposed = new AtomicInteger();
    private final Scheduler scheduler;

    CountedWorkers(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** Makes the scheduler that operators use by themselves one of these, until the factory is reset. */
    void standInForParallel() {
        Schedulers.setFactory(new Schedulers.Factory() {
            @Override
            public Scheduler newParallel(int parallelism, ThreadFactory threads) {
                return CountedWorkers.this;
            }
        });
    }

    @Override
    public Disposable schedule(Runnable task) {
        return scheduler.schedule(task);
    }

    @Override
    public Worker createWorker() {
        made.incrementAndGet();
        Worker worker = scheduler.createWorker();
        AtomicBoolean first = new AtomicBoolean(true);
        return new Worker() {
            @Override
            public Disposable schedule(Runnable task) {
                return worker.schedule(task);
            }

            @Override
            public void dispose() {
                if (first.getAndSet(false)) {
                    disposed.incrementAndGet();
                }
                worker.dispose();
            }
        };
    }
}
