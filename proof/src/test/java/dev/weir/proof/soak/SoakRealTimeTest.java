package dev.weir.proof.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.scheduler.Schedulers;

/**
 * Limiters come and go, streams and requests begin, are cancelled and end, at full speed on two threads: every permit is
 * accounted for, and heap, timers and threads stay flat. As long as {@code soak.seconds} says; ten minutes in the profile
 * thorough.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class SoakRealTimeTest {

    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("soak.seconds", 8));
    private static final int SAMPLES = 40;
    private static final int THREADS = 2;

    private final WatchedTime time = new WatchedTime();
    private final Queue<ScheduledThreadPoolExecutor> schedulers = new ConcurrentLinkedQueue<>();
    private final ScheduledThreadPoolExecutor computation = new ScheduledThreadPoolExecutor(THREADS);
    private final List<Sample> samples = new ArrayList<>();

    /** Both libraries wait on executors whose queues can be counted. */
    @BeforeEach
    void watchSchedulers() {
        Schedulers.shutdownNow();
        Schedulers.addExecutorServiceDecorator("soak", (scheduler, service) -> {
            if (service instanceof ScheduledThreadPoolExecutor pool) {
                schedulers.add(pool);
            }
            return service;
        });
        computation.setRemoveOnCancelPolicy(true);
        schedulers.add(computation);
        var scheduler = io.reactivex.rxjava3.schedulers.Schedulers.from(computation);
        RxJavaPlugins.setComputationSchedulerHandler(usual -> scheduler);
        RxJavaPlugins.setErrorHandler(afterCancel -> {});
    }

    @AfterEach
    void unwatchSchedulers() {
        Schedulers.removeExecutorServiceDecorator("soak");
        Schedulers.shutdownNow();
        RxJavaPlugins.reset();
        computation.shutdownNow();
    }

    @Test
    @DisplayName("permits are conserved; heap, timers and threads stay flat")
    void staysFlat() throws Exception {
        long seed = System.nanoTime();
        System.out.println("Soak, seed " + seed);
        long end = System.nanoTime() + LENGTH.toNanos();
        List<Load> loads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            loads.add(new Load(time, seed + thread, () -> System.nanoTime() - end > 0));
        }
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            CompletableFuture<?> all = CompletableFuture.allOf(loads.stream()
                    .map(load -> CompletableFuture.runAsync(load, threads))
                    .toArray(CompletableFuture[]::new));
            sampleUntil(end, all);
            all.get(1, TimeUnit.MINUTES);
        } finally {
            threads.shutdownNow();
        }
        long over = loads.stream().mapToLong(Load::sessionsOver).sum();
        System.out.println("Soak: " + over + " sessions in " + LENGTH + "; " + samples);
        assertThat(over).isGreaterThan(LENGTH.toSeconds());
        await().atMost(Duration.ofSeconds(20)).until(this::pendingTimers, pending -> pending == 0);
        new Flatness(samples).assertFlat();
    }

    private void sampleUntil(long end, CompletableFuture<?> all) throws Exception {
        long distance = LENGTH.toNanos() / SAMPLES;
        for (int sample = 1; sample <= SAMPLES; sample++) {
            long left = end - (SAMPLES - sample) * distance - System.nanoTime();
            if (waitedOut(all, left)) {
                samples.add(Sample.take(pendingTimers()));
                assertThat(time.pending())
                        .as("one timer at most for each limiter")
                        .isLessThanOrEqualTo(THREADS * (Load.SESSIONS + 1));
            }
        }
    }

    /** Whether the time went by; a load that fails ends the soak at once. */
    private static boolean waitedOut(CompletableFuture<?> all, long nanos)
            throws InterruptedException, ExecutionException {
        try {
            all.get(Math.max(1, nanos), TimeUnit.NANOSECONDS);
            return false;
        } catch (TimeoutException stillRunning) {
            return true;
        }
    }

    private long pendingTimers() {
        return time.pending()
                + schedulers.stream().mapToLong(pool -> pool.getQueue().size()).sum();
    }
}
