package dev.weir.webflux;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PartitionedRateLimiter;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilterChain;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/** Thousands wait, and then hang up. */
class DisconnectStormTest {

    private static final int WAITING = 10_000;

    @Test
    @DisplayName("ten thousand waiting requests are given up: the queue is empty, and no permit is lost or found")
    void giveUpAll() {
        VirtualTimeSource time = new VirtualTimeSource();
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, ofHours(1)))
                .queueLimit(WAITING)
                .timeSource(time)
                .build();
        RateLimitWebFilter filter =
                RateLimitWebFilter.builder().limit(limiter).waiting().build();
        Requests.send(filter, Requests.get("/"));
        for (int storm = 0; storm < 2; storm++) {
            List<Disposable> waiting = new ArrayList<>();
            for (int request = 0; request < WAITING; request++) {
                waiting.add(filter.filter(Requests.get("/"), Requests.OK).subscribe());
            }
            assertThat(limiter.statistics().queuedPermits()).isEqualTo(WAITING);
            Collections.shuffle(waiting, new Random(storm));
            waiting.forEach(Disposable::dispose);
            assertThat(limiter.statistics().queuedPermits()).isZero();
        }
        assertThat(limiter.statistics().acquired()).isEqualTo(1);
        assertThat(limiter.statistics().refused()).isZero();
        assertThat(time.pendingTasks()).isZero();
        time.advanceBy(ofHours(1));
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("of a request that was given up, nothing stays in memory")
    void nothingStays() {
        RateLimiter limiter = RateLimiter.builder(Limit.of(1, ofHours(1))).build();
        RateLimitWebFilter filter =
                RateLimitWebFilter.builder().limit(limiter).waiting().build();
        Requests.send(filter, Requests.get("/"));
        List<WeakReference<ServerWebExchange>> gone = new ArrayList<>();
        Disposable.Composite waiting = Disposables.composite();
        for (int request = 0; request < WAITING; request++) {
            ServerWebExchange exchange = Requests.get("/");
            gone.add(new WeakReference<>(exchange));
            waiting.add(filter.filter(exchange, Requests.OK).subscribe());
        }

        waiting.dispose();

        Awaitility.await().atMost(ofSeconds(60)).until(() -> {
            System.gc();
            return gone.stream().allMatch(exchange -> exchange.refersTo(null));
        });
    }

    @Test
    @DisplayName("the same where each request waits for several limits at once")
    void giveUpAllOfSeveral() {
        int requests = 2_000;
        VirtualTimeSource time = new VirtualTimeSource();
        RateLimiter everybody = RateLimiter.builder(Limit.of(5, ofHours(1)))
                .name("everybody")
                .timeSource(time)
                .build();
        PartitionedRateLimiter<String> perUser = PartitionedRateLimiter.<String>builder(key -> Limit.of(2, ofHours(1)))
                .name("per-user")
                .timeSource(time)
                .build();
        RateLimitWebFilter filter = RateLimitWebFilter.builder()
                .limit(everybody)
                .limit(RequestKey.principal(), perUser)
                .waiting()
                .build();
        List<Disposable> sent = new ArrayList<>();
        for (int request = 0; request < requests; request++) {
            sent.add(filter.filter(Requests.by("user " + request % 3), Requests.OK)
                    .subscribe());
        }
        long served = sent.stream().filter(Disposable::isDisposed).count();
        Collections.shuffle(sent, new Random(1));
        sent.forEach(Disposable::dispose);

        assertThat(served).isEqualTo(5);
        assertThat(everybody.statistics().queuedPermits()).isZero();
        for (int user = 0; user < 3; user++) {
            assertThat(perUser.forKey("user " + user).statistics().queuedPermits())
                    .isZero();
        }
        assertThat(time.pendingTasks()).isZero();
        time.advanceBy(ofHours(1));
        assertThat(everybody.availablePermits()).isEqualTo(5);
        assertThat(perUser.keyCount()).isZero();
    }

    @RepeatedTest(20)
    @DisplayName("whoever hangs up at the moment of its grant is served, or its permit is another's")
    void grantAgainstDisconnect() throws InterruptedException {
        VirtualTimeSource time = new VirtualTimeSource();
        int requests = 200;
        RateLimiter limiter =
                RateLimiter.builder(Limit.concurrency(10)).timeSource(time).build();
        RateLimitWebFilter filter =
                RateLimitWebFilter.builder().limit(limiter).waiting().build();
        AtomicInteger served = new AtomicInteger();
        WebFilterChain serving = exchange -> Mono.fromRunnable(served::incrementAndGet);
        List<Disposable> sent = new ArrayList<>();
        List<dev.weir.Lease> held = new ArrayList<>();
        for (int permit = 0; permit < 10; permit++) {
            held.add(limiter.tryAcquire());
        }
        for (int request = 0; request < requests; request++) {
            sent.add(filter.filter(Requests.get("/"), serving).subscribe());
        }
        CountDownLatch start = new CountDownLatch(1);
        Thread hangingUp = new Thread(() -> {
            try {
                start.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            sent.forEach(Disposable::dispose);
        });
        hangingUp.start();

        start.countDown();
        held.forEach(dev.weir.Lease::close);
        hangingUp.join();

        Awaitility.await()
                .atMost(ofSeconds(20))
                .untilAsserted(() -> assertThat(limiter.availablePermits()).isEqualTo(10));
        assertThat(limiter.statistics().queuedPermits()).isZero();
        assertThat(served.get()).isBetween(0, requests);
        assertThat(limiter.statistics().acquired()).isGreaterThanOrEqualTo(10L + served.get());
    }
}
