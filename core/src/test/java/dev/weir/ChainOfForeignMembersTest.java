package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limit.Limit;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Members of a chain of which no more is known than their face. */
class ChainOfForeignMembersTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SteppedTime time = new SteppedTime(-7);
    private final RateLimiter wide = limiter("wide", Limit.of(9, SECOND));
    private final RateLimiter narrow = limiter("narrow", Limit.tokenBucket(3, 1, SECOND));

    private RateLimiter limiter(String name, Limit limit) {
        return RateLimiter.builder(limit).name(name).timeSource(time).build();
    }

    @Test
    @DisplayName("a member of somebody else's making is asked by taking and giving back")
    void memberOfAnotherKind() {
        RateLimiter mixed = RateLimiter.chain(wide, new Foreign(narrow));
        assertThat(mixed.tryAcquire(3).isAcquired()).isTrue();
        assertThat(mixed.tryAcquire(2).retryAfter()).isEqualTo(Optional.of(SECOND.multipliedBy(2)));
        CompletableFuture<Lease> waiting = mixed.acquire(1);
        assertThat(mixed.tryAcquire(1).retryAfter()).isEqualTo(Optional.of(SECOND));
        time.advanceBy(SECOND);
        assertThat(waiting.join().isAcquired()).isTrue();
        assertThat(wide.availablePermits()).isEqualTo(8);
    }

    @Test
    @DisplayName("a member of somebody else's making keeps what it had when another refuses")
    void memberOfAnotherKindThatCould() {
        RateLimiter mixed = RateLimiter.chain(narrow, new Foreign(wide));
        assertThat(mixed.tryAcquire(3).isAcquired()).isTrue();
        assertThat(mixed.tryAcquire(1).retryAfter()).contains(SECOND);
        assertThat(wide.availablePermits()).isEqualTo(6);
    }

    @Test
    @DisplayName(
            "members that give only to those who wait are each waited for, and what they gave is held until all have")
    void givesOnlyToThoseWhoWait() {
        RateLimiter mixed = RateLimiter.chain(shy(narrow), shy(wide));
        assertThat(mixed.acquire(3).join().isAcquired()).isTrue();
        assertThat(narrow.availablePermits()).isZero();
        assertThat(wide.availablePermits()).isEqualTo(6);
        wide.tryAcquire(6);
        CompletableFuture<Lease> waiting = mixed.acquire(1);
        time.advanceBy(SECOND.minusNanos(1));
        assertThat(waiting).isNotDone();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(waiting.join().isAcquired()).isTrue();
        assertThat(narrow.availablePermits()).isZero();
        assertThat(wide.availablePermits()).isEqualTo(8);
    }

    /** A limiter that refuses who would not wait. */
    private static RateLimiter shy(RateLimiter limiter) {
        return (RateLimiter) Proxy.newProxyInstance(
                RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                    Object answer = method.invoke(limiter, arguments);
                    if (answer instanceof Lease lease && lease.isAcquired()) {
                        lease.giveBack();
                        RateLimiter none =
                                RateLimiter.builder(Limit.concurrency(9)).build();
                        none.tryAcquire(9);
                        return none.tryAcquire((int) arguments[0]);
                    }
                    return answer;
                });
    }
}
