package dev.weir.webflux;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
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
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilterChain;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Thousands wait, and then hang up. */
class DisconnectStormTest {

    private static final int WAITING = 10_000;
    private static final int RACING = 200;
    private static final int PERMITS = 10;

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
    @DisplayName("requests for several limits that hang up while they wait leave nothing")
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
    @DisplayName("a request that hangs up at its grant is served, or its room is another's")
    void disconnectAgainstRoom() throws InterruptedException {
        RateLimiter limiter = RateLimiter.of(Limit.concurrency(PERMITS));
        List<Lease> held = takeAll(limiter);

        AtomicInteger served = hangUpDuring(limiter, () -> held.forEach(Lease::close));

        Awaitility.await()
                .atMost(ofSeconds(20))
                .untilAsserted(() -> assertThat(limiter.availablePermits()).isEqualTo(PERMITS));
        assertThat(limiter.statistics().acquired())
                .as("requests that began, and those before: one given up counts as never made")
                .isEqualTo(PERMITS + (long) served.get());
    }

    @RepeatedTest(20)
    @DisplayName("a request that hangs up at its grant is served and spends its permit, or neither")
    void disconnectAgainstTime() throws InterruptedException {
        VirtualTimeSource time = new VirtualTimeSource();
        RateLimiter limiter = RateLimiter.builder(Limit.of(PERMITS, ofHours(1)))
                .timeSource(time)
                .build();
        takeAll(limiter);

        AtomicInteger served = hangUpDuring(limiter, () -> time.advanceBy(ofHours(1)));

        assertThat(limiter.availablePermits() + served.get())
                .as("what is left, and what was spent on a request that began")
                .isEqualTo(PERMITS);
    }

    /** Returns when every worker has done what it was given before, so that no handler begins any more. */
    private static void letWorkersRunDry() {
        int workers = Schedulers.DEFAULT_POOL_SIZE;
        Flux.range(0, workers)
                .parallel(workers, 1)
                .runOn(Schedulers.parallel(), 1)
                .then()
                .block(ofSeconds(20));
    }

    private static List<Lease> takeAll(RateLimiter limiter) {
        return Stream.generate(limiter::tryAcquire).limit(PERMITS).toList();
    }

    /** Lets many requests wait, and disconnects all while they are granted; returns how many handlers have begun. */
    private static AtomicInteger hangUpDuring(RateLimiter limiter, Runnable grants) throws InterruptedException {
        RateLimitWebFilter filter =
                RateLimitWebFilter.builder().limit(limiter).waiting().build();
        AtomicInteger served = new AtomicInteger();
        WebFilterChain serving = exchange -> {
            served.incrementAndGet();
            return Mono.empty();
        };
        List<Disposable> sent = Stream.generate(
                        () -> filter.filter(Requests.get("/"), serving).subscribe())
                .limit(RACING)
                .toList();
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
        grants.run();
        hangingUp.join();
        letWorkersRunDry();
        assertThat(limiter.statistics().queuedPermits()).isZero();
        return served;
    }
}
