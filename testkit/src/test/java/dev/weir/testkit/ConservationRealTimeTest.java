package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Lease;
import dev.weir.PermitRequest;
import dev.weir.QueueOrder;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real threads that ask, cancel, time out and give back at random: every request settles once, and permits are conserved. */
final class ConservationRealTimeTest {

    private static final int THREADS = 4;
    private static final int REQUESTS = 20_000;
    private static final Duration PERIOD = Duration.ofMillis(2);

    private final PermitLedger ledger = new PermitLedger();
    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong cancelled = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private final ConcurrentLinkedQueue<Lease> out = new ConcurrentLinkedQueue<>();

    @Test
    @Timeout(120)
    void anExactWindowOldestFirst() {
        storm(Limit.of(50, PERIOD), QueueOrder.OLDEST_FIRST);
    }

    @Test
    @Timeout(120)
    void anExactWindowNewestFirst() {
        storm(Limit.of(50, PERIOD), QueueOrder.NEWEST_FIRST);
    }

    @Test
    @Timeout(120)
    void concurrencyOldestFirst() {
        storm(Limit.concurrency(7), QueueOrder.OLDEST_FIRST);
    }

    @Test
    @Timeout(120)
    void concurrencyNewestFirst() {
        storm(Limit.concurrency(7), QueueOrder.NEWEST_FIRST);
    }

    @Test
    @Timeout(120)
    void noSignalIsLostBetweenThoseWhoReleaseAndThoseWhoBeginToWait() {
        RateLimiter limiter = RateLimiter.of(Limit.concurrency(1));
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                threads.add(CompletableFuture.runAsync(
                        () -> {
                            for (int i = 0; i < REQUESTS; i++) {
                                limiter.acquire()
                                        .orTimeout(20, TimeUnit.SECONDS)
                                        .join()
                                        .close();
                            }
                        },
                        pool));
            }
            threads.forEach(CompletableFuture::join);
            assertThat(limiter.availablePermits()).isEqualTo(1);
        } finally {
            pool.shutdownNow();
        }
    }

    private void storm(Limit limit, QueueOrder order) {
        RateLimiter limiter = RateLimiter.builder(ledger.watching(limit))
                .queueOrder(order)
                .queueLimit(200)
                .build();
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                SplittableRandom random = new SplittableRandom(thread);
                threads.add(CompletableFuture.runAsync(() -> run(limiter, random), pool));
            }
            threads.forEach(CompletableFuture::join);
            limiter.close();
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(
                            () -> assertThat(answered.get() + cancelled.get()).isEqualTo(asked.get()));
            await().atMost(Duration.ofSeconds(30)).untilAsserted(ledger::assertConserved);
            assertThat(limiter.statistics().queuedPermits()).isZero();
        } finally {
            pool.shutdownNow();
        }
    }

    private void run(RateLimiter limiter, SplittableRandom random) {
        List<PermitRequest> waiting = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            int permits = 1 + random.nextInt(7);
            asked.incrementAndGet();
            if (random.nextInt(4) == 0) {
                askByFuture(limiter, permits, random);
            } else {
                waiting.add(limiter.acquire(permits, this::answered));
            }
            if (random.nextInt(5) > 0) {
                returnOne();
            }
            if (!waiting.isEmpty() && random.nextInt(3) == 0) {
                PermitRequest chosen = waiting.remove(random.nextInt(waiting.size()));
                cancelled.addAndGet(chosen.cancel() ? 1 : 0);
            }
        }
    }

    private void answered(Lease lease) {
        answered.incrementAndGet();
        out.add(ledger.delivered(lease));
    }

    private void returnOne() {
        Lease lease = out.poll();
        if (lease != null && lease.isAcquired()) {
            ledger.returned(lease.permits());
            lease.giveBack();
        }
    }

    private void askByFuture(RateLimiter limiter, int permits, SplittableRandom random) {
        CompletableFuture<Lease> future = limiter.acquire(permits);
        switch (random.nextInt(3)) {
            case 0 -> future.cancel(true);
            case 1 -> future.orTimeout(random.nextInt(300), TimeUnit.MICROSECONDS);
            default -> {}
        }
        var unused = future.whenComplete((lease, failure) -> {
            if (failure == null) {
                answered(lease);
            } else {
                cancelled.incrementAndGet();
            }
        });
    }
}
