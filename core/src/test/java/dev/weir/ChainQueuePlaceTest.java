package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The place that the first of a chain keeps in the queue of one member: when it is kept, and when it is given up. */
class ChainQueuePlaceTest extends ChainOfTwo {

    @Test
    @DisplayName("a waiting request keeps its place at a member before requests that came there later")
    void keepsItsPlace() {
        RateLimiter slow = limiter("slow", Limit.of(1, SECOND));
        slow.tryAcquire();
        CompletableFuture<Lease> waiting = RateLimiter.chain(wide, slow).acquire();
        CompletableFuture<Lease> later = slow.acquire();
        time.advanceBy(SECOND);
        assertThat(waiting).isDone();
        assertThat(waiting.join().isAcquired()).isTrue();
        assertThat(later).isNotDone();
    }

    @Test
    @DisplayName("a request that becomes the first of a chain keeps its own age, and overtakes none")
    void inheritsNothing() {
        RateLimiter slow = limiter("slow", Limit.of(1, SECOND));
        slow.tryAcquire();
        RateLimiter both = RateLimiter.chain(wide, slow);
        CompletableFuture<Lease> leaves = both.acquire();
        PermitRequest runsOutOfTime = both.acquire(1, SECOND.multipliedBy(3), lease -> {});
        time.advanceBy(1);
        CompletableFuture<Lease> elsewhere = slow.acquire();
        time.advanceBy(1);
        CompletableFuture<Lease> next = both.acquire();
        leaves.cancel(false);
        runsOutOfTime.cancel();
        time.advanceBy(SECOND.minusNanos(2));
        assertThat(elsewhere).isDone();
        assertThat(next).isNotDone();
        time.advanceBy(SECOND);
        assertThat(next).isDone();
    }

    @Test
    @DisplayName("a request that must wait anew at an earlier member gives up its place at the later one")
    void givesUpItsPlace() {
        RateLimiter first = limiter("first", Limit.of(1, SECOND.multipliedBy(5)));
        RateLimiter second = limiter("second", Limit.of(1, SECOND));
        second.tryAcquire();
        CompletableFuture<Lease> waiting = RateLimiter.chain(first, second).acquire();
        assertThat(first.tryAcquire().isAcquired()).isTrue();
        time.advanceBy(SECOND);
        assertThat(waiting).isNotDone();
        assertThat(second.statistics().queuedPermits()).isZero();
        assertThat(second.tryAcquire().isAcquired()).isTrue();
        time.advanceBy(SECOND.multipliedBy(4));
        assertThat(waiting).isDone();
        assertThat(waiting.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a request that has become too large for a member is refused when its turn comes")
    void tooLargeMeanwhile() {
        chain.tryAcquire(3);
        CompletableFuture<Lease> first = chain.acquire(1);
        CompletableFuture<Lease> tooLarge = chain.acquire(3);
        CompletableFuture<Lease> third = chain.acquire(1);
        narrow.reconfigure(Limit.tokenBucket(2, 1, SECOND));
        time.advanceBy(SECOND.multipliedBy(2)); // one for what was taken beyond the new capacity
        assertThat(first).isDone();
        assertThat(tooLarge).isDone();
        assertThat(first.join().isAcquired()).isTrue();
        assertThat(tooLarge.join().reason()).contains(RefusalReason.EXHAUSTED);
        assertThat(tooLarge.join().retryAfter()).isEmpty();
        time.advanceBy(SECOND);
        assertThat(third).isDone();
        assertThat(third.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a request cancelled while a member refuses it is not counted as refused, and takes nothing")
    void leavesWhileRefused() {
        RateLimiter full = limiter("full", Limit.of(1, SECOND.multipliedBy(9)));
        full.tryAcquire();
        List<PermitRequest> leaving = new ArrayList<>();
        RateLimiter refusing = (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("acquire")) {
                        return method.invoke(full, arguments);
                    }
                    leaving.forEach(PermitRequest::cancel);
                    ((PermitListener) arguments[1]).onLease(full.tryAcquire());
                    return SettledRequest.INSTANCE;
                });
        RateLimiter both = RateLimiter.chain(wide, refusing);
        wide.tryAcquire(9);
        List<Lease> answers = new ArrayList<>();
        leaving.add(both.acquire(1, answers::add));
        time.advanceBy(SECOND);
        assertThat(answers).isEmpty();
        assertThat(both.statistics()).isEqualTo(new RateLimiterStatistics(0, 0, 0, 0));
        assertThat(wide.availablePermits()).isEqualTo(9);
    }

    @Test
    @DisplayName("a request cancelled while the last member grants leaves all members their permits")
    void leavesWhileGranted() {
        RateLimiter other = limiter("other", Limit.of(2, SECOND));
        List<PermitRequest> leaving = new ArrayList<>();
        RateLimiter granting = (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("tryAcquire")) {
                        leaving.forEach(PermitRequest::cancel);
                    }
                    return method.invoke(other, arguments);
                });
        leavesAllTheirPermits(granting, leaving);
        assertThat(other.availablePermits()).isEqualTo(2);
    }

    @Test
    @DisplayName("a request cancelled while a member asks the other on its behalf leaves all their permits")
    void leavesWhileAskedFor() {
        List<PermitRequest> leaving = new ArrayList<>();
        RateLimiter other = RateLimiter.builder(Limit.of(2, SECOND))
                .policies((limit, key, now) -> InterleavingPolicies.whenTaken(
                        limit.newPolicy(now), () -> leaving.forEach(PermitRequest::cancel)))
                .timeSource(time)
                .build();
        leavesAllTheirPermits(other, leaving);
        assertThat(other.availablePermits()).isEqualTo(2);
    }

    /** Waits at the first member until that has a permit; the other one cancels what is leaving meanwhile. */
    private void leavesAllTheirPermits(RateLimiter other, List<PermitRequest> leaving) {
        wide.tryAcquire(9);
        List<Lease> answers = new ArrayList<>();
        leaving.add(RateLimiter.chain(wide, other).acquire(1, answers::add));
        time.advanceBy(SECOND);
        assertThat(answers).isEmpty();
        assertThat(leaving).allMatch(PermitRequest::isSettled);
        assertThat(wide.availablePermits()).isEqualTo(9);
    }

    @Test
    @DisplayName("a request cannot be cancelled once a member has granted, before any listener is told")
    void leavesTooLate() {
        RateLimiter two = limiter("two", Limit.of(2, SECOND));
        two.tryAcquire(2);
        List<PermitRequest> leaving = new ArrayList<>();
        List<Boolean> left = new ArrayList<>();
        two.acquire(1, told -> left.add(leaving.get(0).cancel()));
        List<Lease> answers = new ArrayList<>();
        leaving.add(RateLimiter.chain(wide, two).acquire(1, answers::add));
        time.advanceBy(SECOND);
        assertThat(left).containsExactly(false);
        assertThat(answers).singleElement().matches(Lease::isAcquired);
        assertThat(wide.availablePermits()).isEqualTo(8);
    }
}
