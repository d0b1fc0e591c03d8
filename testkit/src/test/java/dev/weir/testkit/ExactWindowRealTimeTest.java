package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Eight threads at one exact window for seconds: not one window over the limit, and hardly a permit unused.
 *
 * <p>Every grant is stamped with the time that the limiter decided by. A thread may be held up between reading the clock and
 * taking, so grants may be stamped out of order, and the policy records such a late one at the time of the newest, r &gt;= s
 * for its stamp s. The windows hold for the stamps all the same. Say that N + 1 stamps lay within one period, and take the
 * first and the last of them in the order of taking. N grants or more lie between, so the last one was allowed because the
 * grant N before it was recorded at least a period before its own stamp; that one was recorded no earlier than the first,
 * whose record is no earlier than its stamp. So the two stamps are a period apart, against what was said.
 */
final class ExactWindowRealTimeTest {

    private static final int THREADS = 8;
    private static final int PERMITS = 100;
    private static final Duration PERIOD = Duration.ofMillis(10);
    private static final long RUN_NANOS = Duration.ofSeconds(3).toNanos();

    private final PermitLedger ledger = new PermitLedger();
    private final Limit limit = ledger.watching(Limit.of(PERMITS, PERIOD));

    @Test
    @Timeout(60)
    @DisplayName("the policy alone, weights 1 to 5")
    void policyHoldsUnderContention() {
        PermitPolicy policy = limit.newPolicy(System.nanoTime());
        hammer(permits -> policy.tryTake(permits, System.nanoTime()));
    }

    @Test
    @Timeout(60)
    @DisplayName("a limiter, weights 1 to 5")
    void limiterHoldsUnderContention() {
        RateLimiter limiter = RateLimiter.of(limit);
        hammer(permits -> ledger.delivered(limiter.tryAcquire(permits)));
        ledger.assertConserved();
    }

    private void hammer(IntConsumer take) {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            CountDownLatch ready = new CountDownLatch(THREADS);
            List<CompletableFuture<Silences>> threads = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                SplittableRandom random = new SplittableRandom(thread);
                threads.add(CompletableFuture.supplyAsync(() -> run(take, random, ready), pool));
            }
            List<Silences> silences =
                    threads.stream().map(CompletableFuture::join).toList();
            check(Silences.ofAll(silences));
        } finally {
            pool.shutdownNow();
        }
    }

    private static Silences run(IntConsumer take, SplittableRandom random, CountDownLatch ready) {
        ready.countDown();
        while (ready.getCount() > 0) {
            Thread.onSpinWait();
        }
        Silences silences = new Silences(System.nanoTime());
        while (silences.asked(System.nanoTime()) < RUN_NANOS) {
            take.accept(1 + random.nextInt(5));
        }
        return silences;
    }

    private void check(long silentNanos) {
        ledger.grantTimes().neverExceeds(PERMITS, PERIOD);
        long windows = (RUN_NANOS - silentNanos) / PERIOD.toNanos();
        assertThat(ledger.granted())
                .as("99 %% of %d windows; the machine ran none of the threads for %d ns", windows, silentNanos)
                .isGreaterThanOrEqualTo(PERMITS * windows * 99 / 100);
    }

    /**
     * When a thread did not ask, for a machine with other work to do may run none of the threads for a while, and permits that
     * nobody asks for are no fault of the limiter's.
     */
    private static final class Silences {

        private static final long NOTABLE_NANOS = 20_000;

        private final List<long[]> silences = new ArrayList<>();
        private final long begin;
        private long last;

        Silences(long nowNanos) {
            this.begin = nowNanos;
            this.last = nowNanos;
        }

        /** Returns for how long the thread has been running. */
        long asked(long nowNanos) {
            if (nowNanos - last > NOTABLE_NANOS) {
                silences.add(new long[] {last, nowNanos});
            }
            last = nowNanos;
            return nowNanos - begin;
        }

        /** Returns for how long all of them were silent at once. */
        static long ofAll(List<Silences> threads) {
            long[][] common = threads.get(0).silences.toArray(long[][]::new);
            for (Silences thread : threads.subList(1, threads.size())) {
                common = intersection(common, thread.silences);
            }
            long total = 0;
            for (long[] silence : common) {
                total += silence[1] - silence[0];
            }
            return total;
        }

        private static long[][] intersection(long[][] some, List<long[]> others) {
            List<long[]> both = new ArrayList<>();
            int next = 0;
            for (long[] one : some) {
                while (next > 0 && others.get(next - 1)[1] - one[0] > 0) {
                    next--;
                }
                for (; next < others.size() && others.get(next)[0] - one[1] < 0; next++) {
                    long from = Math.max(0, others.get(next)[0] - one[0]) + one[0];
                    long to = Math.min(one[1] - one[0], others.get(next)[1] - one[0]) + one[0];
                    if (to - from > 0) {
                        both.add(new long[] {from, to});
                    }
                }
            }
            return both.toArray(long[][]::new);
        }
    }
}
