package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Chains with members in common, by the real clock, asked by several threads. */
class ChainsOfSharedMembersRealTimeTest {

    private static final int THREADS = 4;
    private static final int EACH = 200;
    private static final Duration PERIOD = Duration.ofMillis(20);

    @Test
    @DisplayName("all pass in about the time that the narrowest member takes, and leave nothing behind")
    void allPass() {
        RateLimiter all = RateLimiter.of(20, PERIOD);
        List<RateLimiter> hosts =
                List.of(RateLimiter.of(8, PERIOD), RateLimiter.of(8, PERIOD), RateLimiter.of(8, PERIOD));
        List<CompletableFuture<Integer>> threads = new ArrayList<>();
        long began = System.nanoTime();
        for (int thread = 0; thread < THREADS; thread++) {
            int number = thread;
            threads.add(CompletableFuture.supplyAsync(() -> granted(ask(all, hosts, number))));
        }
        assertThat(threads).allSatisfy(thread -> assertThat(thread.join()).isEqualTo(EACH));

        // 40 windows at the least; a crawl would take a window for each one or two
        assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(5));
        assertThat(all.statistics().queuedPermits()).isZero();
        assertThat(hosts)
                .allSatisfy(
                        host -> assertThat(host.statistics().queuedPermits()).isZero());
        assertThat(all.statistics().acquired()).isEqualTo(THREADS * EACH);
    }

    /** In either order of the members. */
    private static List<CompletableFuture<Lease>> ask(RateLimiter all, List<RateLimiter> hosts, int thread) {
        List<CompletableFuture<Lease>> requests = new ArrayList<>();
        for (int i = 0; i < EACH; i++) {
            RateLimiter host = hosts.get((i + thread) % hosts.size());
            requests.add((i % 2 == 0 ? RateLimiter.chain(all, host) : RateLimiter.chain(host, all)).acquire());
        }
        return requests;
    }

    private static int granted(List<CompletableFuture<Lease>> requests) {
        return (int)
                requests.stream().filter(request -> request.join().isAcquired()).count();
    }
}
