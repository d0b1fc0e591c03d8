package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.limit.Limit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Threads that block for a lease, as the recipe for code that blocks does, and are interrupted, or give up. */
class LeaseOfBlockedThreadTest {

    private final SteppedTime time = new SteppedTime(0);
    private final RateLimiter room =
            RateLimiter.builder(Limit.concurrency(1)).timeSource(time).build();
    private final Lease held = room.tryAcquire();

    private boolean called;

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    /** The lines of the recipe, where something may happen just after the interrupt. */
    private void call(CompletableFuture<Lease> asked, Runnable meanwhile) throws Exception {
        try (Lease lease = asked.get()) {
            called = lease.isAcquired();
            assertThat(room.availablePermits()).isZero();
        } catch (InterruptedException interrupted) {
            meanwhile.run();
            asked.cancel(false);
            CompletableFuture<Void> unused = asked.thenAccept(Lease::giveBack);
            throw interrupted;
        }
    }

    private void callInterrupted(CompletableFuture<Lease> asked, Runnable meanwhile) {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> call(asked, meanwhile));
        assertThat(called).isFalse();
        assertThat(room.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("a lease is held during the call, and closed behind it")
    void called() throws Exception {
        CompletableFuture<Lease> asked = room.acquire();
        held.close();
        call(asked, () -> {});
        assertThat(called).isTrue();
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("within a bound, a refusal calls nothing")
    void refused() throws Exception {
        CompletableFuture<Lease> asked = room.acquireWithin(1, Duration.ofSeconds(2));
        time.advanceBy(Duration.ofSeconds(2).toNanos());
        call(asked, () -> {});
        assertThat(called).isFalse();
    }

    @Test
    @DisplayName("a thread that is interrupted while it waits leaves the queue")
    void interrupted() {
        callInterrupted(room.acquire(), () -> {});
        held.close();
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a lease that comes just after the interrupt is given back")
    void interruptedAtTheGrant() {
        callInterrupted(room.acquire(), held::close);
        assertThat(room.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("a get that times out, or is interrupted, leaves the request in the queue, and its lease is lost")
    void givenUp() {
        CompletableFuture<Lease> timedOut = room.acquire();
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> timedOut.get(1, TimeUnit.NANOSECONDS));
        CompletableFuture<Lease> interrupted = room.acquire();
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(interrupted::get);
        assertThat(room.statistics().queuedPermits()).isEqualTo(2);
        held.close();
        assertThat(timedOut).isDone();
        assertThat(room.availablePermits()).isZero();
    }
}
