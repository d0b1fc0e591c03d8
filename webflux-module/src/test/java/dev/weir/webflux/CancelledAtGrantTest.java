package dev.weir.webflux;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.testkit.VirtualTimeSource;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Who is given up after the grant, but before the work begins on another thread, was not there: the permit is another's. */
class CancelledAtGrantTest {

    private static final String HOOK = CancelledAtGrantTest.class.getName();

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiter limiter =
            RateLimiter.builder(Limit.of(1, ofSeconds(1))).timeSource(time).build();
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicInteger charged = new AtomicInteger();

    private final Mono<Void> request = RateLimitWebFilter.builder()
            .limit(limiter)
            .waiting()
            .actualCost(exchange -> charged.incrementAndGet())
            .build()
            .filter(Requests.get("/"), exchange -> Mono.fromRunnable(served::incrementAndGet));

    private final Mono<?> call = WebClient.builder()
            .exchangeFunction(asked -> Mono.fromSupplier(() -> {
                served.incrementAndGet();
                return ClientResponse.create(HttpStatus.OK).build();
            }))
            .filter(RateLimitExchangeFilter.builder(limiter)
                    .actualCost(response -> charged.incrementAndGet())
                    .build())
            .build()
            .get()
            .retrieve()
            .toBodilessEntity();

    @Test
    @DisplayName("a request whose client goes after the grant, but before the handler begins, leaves its permit")
    void requestIsCancelled() throws InterruptedException {
        cancelBetweenGrantAndBegin(request);
    }

    @Test
    @DisplayName("a call that is cancelled after the grant, but before the exchange begins, leaves its permit")
    void callIsCancelled() throws InterruptedException {
        cancelBetweenGrantAndBegin(call);
    }

    private void cancelBetweenGrantAndBegin(Mono<?> waiting) throws InterruptedException {
        BlockingQueue<Runnable> held = new LinkedBlockingQueue<>();
        Disposable asked = grant(waiting, task -> () -> held.add(task));
        Runnable begin = Objects.requireNonNull(held.poll(20, TimeUnit.SECONDS), "what begins on another thread");

        asked.dispose();
        assertNobodyWasThere();
        begin.run();
        assertNobodyWasThere();
    }

    @Test
    @DisplayName("a request or call that no thread takes after the grant leaves its permit")
    void noThreadTakesIt() {
        for (Mono<?> waiting : new Mono<?>[] {request, call}) {
            Disposable asked = grant(waiting.onErrorComplete(RejectedExecutionException.class), task -> {
                throw new RejectedExecutionException("planned");
            });
            assertThat(asked.isDisposed()).isTrue();
            assertNobodyWasThere();
        }
    }

    /** Lets somebody wait and then be granted; whatever this thread schedules for it goes through the hook. */
    private Disposable grant(Mono<?> waiting, UnaryOperator<Runnable> hook) {
        Thread granting = Thread.currentThread();
        limiter.tryAcquire();
        Disposable asked = waiting.subscribe();
        assertThat(limiter.statistics().queuedPermits()).isEqualTo(1);
        Schedulers.onScheduleHook(HOOK, task -> Thread.currentThread() == granting ? hook.apply(task) : task);
        try {
            time.advanceBy(ofSeconds(1));
        } finally {
            Schedulers.resetOnScheduleHook(HOOK);
        }
        return asked;
    }

    private void assertNobodyWasThere() {
        assertThat(served).hasValue(0);
        assertThat(charged).hasValue(0);
        assertThat(limiter.availablePermits()).isEqualTo(1);
    }
}
