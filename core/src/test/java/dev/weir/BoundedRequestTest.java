package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.weir.limit.Limit;
import dev.weir.time.TimeSource;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A bound for one request, at a limiter of which no more is known than its face. */
class BoundedRequestTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration ENOUGH = Duration.ofMillis(1_001);
    private static final Duration SHORT = Duration.ofMillis(400);

    private final SteppedTime time = new SteppedTime(-7);
    private final RateLimiter limiter =
            RateLimiter.builder(Limit.of(1, SECOND)).timeSource(time).build();
    private final List<Lease> told = new ArrayList<>();

    private PermitRequest ask(Duration maxWait) {
        return BoundedRequest.start(new ForeignLimiter(limiter), 1, maxWait.toNanos(), time, told::add);
    }

    @Test
    @DisplayName("a request with a bound is answered at once if a permit is available, and leaves no timer")
    void atOnce() {
        PermitRequest request = ask(SHORT);
        assertThat(told)
                .singleElement()
                .satisfies(lease -> assertThat(lease.isAcquired()).isTrue());
        assertThat(request.isSettled()).isTrue();
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a permit that comes within the bound is told, and the bound is forgotten")
    void inTime() {
        limiter.tryAcquire();
        PermitRequest request = ask(ENOUGH);
        assertThat(request.isSettled()).isFalse();
        time.advanceBy(SECOND);
        assertThat(told)
                .singleElement()
                .satisfies(lease -> assertThat(lease.isAcquired()).isTrue());
        assertThat(time.pendingTasks()).isZero();
        assertThat(request.cancel()).isFalse();
        assertThat(limiter.statistics().refused()).isZero();
    }

    @Test
    @DisplayName("a request whose bound is over is refused, told when to come back, and leaves the queue")
    void timeIsUp() {
        limiter.tryAcquire();
        PermitRequest request = ask(SHORT);
        time.advanceBy(SHORT);
        assertThat(told).singleElement().satisfies(lease -> {
            assertThat(lease.isAcquired()).isFalse();
            assertThat(lease.retryAfter()).contains(SECOND.minus(SHORT));
        });
        assertThat(request.isSettled()).isTrue();
        assertThat(request.cancel()).isFalse();
        assertThat(limiter.statistics().queuedPermits()).isZero();
        time.advanceBy(SECOND);
        assertThat(told).hasSize(1);
        assertThat(limiter.availablePermits()).isOne();
    }

    @Test
    @DisplayName("a request behind another one overtakes none when its bound is over")
    void overtakesNobody() {
        limiter.tryAcquire();
        PermitRequest ahead = limiter.acquire(1, told::add);
        ask(SHORT);
        time.advanceBy(SHORT);
        assertThat(told)
                .singleElement()
                .satisfies(lease -> assertThat(lease.isAcquired()).isFalse());
        assertThat(ahead.isSettled()).isFalse();
        time.advanceBy(SECOND);
        assertThat(told)
                .hasSize(2)
                .last()
                .satisfies(lease -> assertThat(lease.isAcquired()).isTrue());
    }

    @Test
    @DisplayName("a bound of zero asks once and waits for nothing")
    void zero() {
        assertThat(ask(Duration.ZERO).isSettled()).isTrue();
        assertThat(ask(Duration.ZERO).isSettled()).isTrue();
        assertThat(told).extracting(Lease::isAcquired).containsExactly(true, false);
        assertThat(time.pendingTasks()).isZero();
    }

    @Test
    @DisplayName("a cancelled request is told nothing, and leaves neither timer nor place")
    void cancelled() {
        limiter.tryAcquire();
        PermitRequest request = ask(SHORT);
        assertThat(request.cancel()).isTrue();
        assertThat(request.cancel()).isFalse();
        assertThat(time.pendingTasks()).isZero();
        time.advanceBy(SECOND);
        assertThat(told).isEmpty();
        assertThat(limiter.availablePermits()).isOne();
    }

    @Test
    @DisplayName("a waiting request is told once that the limiter was closed")
    void closed() {
        limiter.tryAcquire();
        ask(SHORT);
        limiter.close();
        time.advanceBy(SECOND);
        assertThat(told)
                .singleElement()
                .satisfies(lease -> assertThat(lease.reason()).contains(RefusalReason.CLOSED));
    }

    @Test
    @DisplayName("a limiter that breaks as time is up, and a timer that takes no more tasks, leave nobody waiting")
    void broken() {
        limiter.tryAcquire();
        IllegalArgumentException onPurpose = new IllegalArgumentException("on purpose");
        RateLimiter breaking = (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("tryAcquire")) {
                        throw onPurpose;
                    }
                    return method.invoke(limiter, arguments);
                });
        BoundedRequest.start(breaking, 1, SHORT.toNanos(), time, told::add);
        time.advanceBy(SHORT);
        assertThat(told).singleElement().satisfies(lease -> {
            assertThat(lease.reason()).contains(RefusalReason.BACKEND_UNAVAILABLE);
            assertThat(lease.cause()).contains(onPurpose);
        });
        TimeSource full = new DelegatingTime(time) {
            @Override
            public Cancellable schedule(Runnable task, long delayNanos) {
                throw new RejectedExecutionException("on purpose");
            }
        };
        RateLimiter foreign = new ForeignLimiter(limiter);
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> BoundedRequest.start(foreign, 1, SHORT.toNanos(), full, told::add));
        assertThat(limiter.statistics().queuedPermits()).isZero();
        assertThat(told).hasSize(1);
    }

    @Test
    @DisplayName("a direct listener is told before acquire returns, also within another listener")
    void direct() {
        RateLimiter foreign = new ForeignLimiter(RateLimiter.of(Limit.concurrency(2)));
        List<String> order = new ArrayList<>();
        PermitListener.Direct direct = lease -> order.add("direct");
        foreign.acquire(1, lease -> {
            foreign.acquire(1, SECOND, direct);
            lease.close();
            foreign.acquire(1, SECOND, last -> order.add("last"));
            order.add("first");
        });
        assertThat(order).containsExactly("direct", "first", "last");
    }

    @Test
    @DisplayName("a limiter of no more than the face bounds a single request")
    void byDefault() {
        RateLimiter foreign = new ForeignLimiter(limiter);
        foreign.acquire(1, Duration.ZERO, told::add);
        foreign.acquire(1, Duration.ZERO, told::add);
        assertThat(told).extracting(Lease::isAcquired).containsExactly(true, false);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> foreign.acquire(1, Duration.ofNanos(-1), told::add))
                .withMessageContaining("maxWait");
        assertThatNullPointerException()
                .isThrownBy(() -> foreign.acquire(1, SHORT, null))
                .withMessageContaining("listener");
    }
}
