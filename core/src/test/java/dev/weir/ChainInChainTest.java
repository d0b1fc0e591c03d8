package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A chain that is a member of another, which has waited for its first member before it asks for the permits of this one. */
class ChainInChainTest extends ChainOfTwo {

    private final RateLimiter first = limiter("first", Limit.of(1, SECOND));
    private final RateLimiter outer = RateLimiter.chain(first, chain);

    private CompletableFuture<Lease> waitForFirst(RateLimiter of) {
        first.tryAcquire(1);
        CompletableFuture<Lease> waiting = of.acquire();
        assertThat(first.statistics().queuedPermits()).isEqualTo(1);
        return waiting;
    }

    @Test
    @DisplayName("a chain that is paused grants nothing as a member of another")
    void paused() {
        CompletableFuture<Lease> waiting = waitForFirst(outer);
        Duration pause = SECOND.multipliedBy(3);
        chain.pauseFor(pause);
        time.advanceBy(pause.minusNanos(1));
        assertThat(waiting).isNotDone();
        time.advanceBy(Duration.ofNanos(1));
        assertThat(waiting.join().isAcquired()).isTrue();
    }

    @Test
    @DisplayName("a chain that is closed refuses the request of another that it is a member of")
    void closed() {
        CompletableFuture<Lease> waiting = waitForFirst(outer);
        chain.close();
        time.advanceBy(SECOND);
        assertThat(waiting.join().reason()).contains(RefusalReason.CLOSED);
        assertThat(wide.availablePermits()).isEqualTo(9);
    }

    @Test
    @DisplayName("once a member of it is closed it is closed, too, for who waits for another limiter")
    void memberClosedMeanwhile() {
        CompletableFuture<Lease> waiting = waitForFirst(outer);
        narrow.close();
        time.advanceBy(SECOND);
        assertThat(waiting.join().reason()).contains(RefusalReason.CLOSED);
        assertThat(waiting.join().retryAfter()).isEmpty();
        assertThat(wide.availablePermits()).isEqualTo(9);
    }

    @Test
    @DisplayName("while a member of it is closed, who asks is told so, and nothing is taken from the others")
    void memberClosedBefore() {
        narrow.close();
        assertThatIllegalStateException().isThrownBy(outer::tryAcquire);
        assertThatIllegalStateException().isThrownBy(outer::acquire);
        assertThat(first.availablePermits()).isEqualTo(1);
        assertThat(wide.availablePermits()).isEqualTo(9);
    }

    @Test
    @DisplayName("while a member of it is closed it charges the others, and can be paused")
    void closedMemberIsSteered() {
        narrow.close();
        chain.pauseFor(SECOND);
        assertThatIllegalStateException().isThrownBy(() -> chain.charge(2));
        assertThat(wide.availablePermits()).isEqualTo(7);
    }

    @Test
    @DisplayName("a request that asked the inner chain earlier is not overtaken by the outer one")
    void order() {
        narrow.tryAcquire(2);
        CompletableFuture<Lease> before = chain.acquire(3);
        time.advanceBy(Duration.ofNanos(1));
        CompletableFuture<Lease> waiting = waitForFirst(outer);
        time.advanceBy(SECOND.multipliedBy(2).minusNanos(1));
        assertThat(before).isDone();
        assertThat(waiting).isNotDone();
        time.advanceBy(SECOND);
        assertThat(waiting).isDone();
    }

    @Test
    @DisplayName("a chain gets its permits back if another member of the outer chain has none")
    void givenInVain() {
        RateLimiter last = limiter("last", Limit.of(1, SECOND.multipliedBy(5)));
        last.tryAcquire(1);
        CompletableFuture<Lease> waiting = waitForFirst(RateLimiter.chain(first, chain, last));
        time.advanceBy(SECOND);
        assertThat(waiting).isNotDone();
        assertThat(last.statistics().queuedPermits()).isEqualTo(1);
        assertThat(wide.availablePermits()).isEqualTo(9);
        assertThat(narrow.availablePermits()).isEqualTo(3);
        assertThat(chain.statistics().acquired()).isZero();
        time.advanceBy(SECOND.multipliedBy(4));
        assertThat(waiting.join().isAcquired()).isTrue();
        assertThat(chain.statistics().acquired()).isEqualTo(1);
    }

    @Test
    @DisplayName("a request refused by the outer chain is told when the inner one has permits and no pause")
    void pauseOfTheInner() {
        narrow.tryAcquire(3);
        chain.pauseFor(Duration.ofMillis(700));
        assertThat(outer.tryAcquire().retryAfter()).contains(SECOND);
        chain.pauseFor(Duration.ofMillis(1_300));
        assertThat(outer.tryAcquire().retryAfter()).contains(Duration.ofMillis(1_300));
    }
}
