package dev.weir.webflux;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

class AdmissionTest {

    private static final int ROUNDS = 10_000;

    private final Lease grant = RateLimiter.of(Limit.unlimited()).tryAcquire();
    private final AtomicReference<@Nullable PermitListener> asked = new AtomicReference<>();

    /** Answers whoever asks on another thread. */
    private final RateLimiter limiter = (RateLimiter) Proxy.newProxyInstance(
            RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, arguments) -> {
                asked.set((PermitListener) arguments[1]);
                return new Settled();
            });

    @Test
    @DisplayName(
            "an answer that comes right when somebody begins to wait for it is told once, and nothing of it is dropped")
    void answerAgainstWait() throws InterruptedException {
        Queue<Object> dropped = new ConcurrentLinkedQueue<>();
        Hooks.onNextDropped(dropped::add);
        Thread answering = new Thread(this::answer);
        answering.start();
        try {
            for (int round = 0; round < ROUNDS; round++) {
                Mono<Lease> admitted = Admission.ask(limiter, 1, null, new Straight());
                assertThat(admitted.block(ofSeconds(10))).isSameAs(grant);
            }
        } finally {
            answering.interrupt();
            answering.join();
            Hooks.resetOnNextDropped();
        }
        assertThat(dropped).isEmpty();
    }

    @Test
    @DisplayName("a grant that comes after whoever waited for it has gone is given back")
    void grantToNobody() {
        RateLimiter granting = RateLimiter.of(1, ofMinutes(1));
        Admission.ask(limiter, 1, null, new Straight()).subscribe().dispose();
        Lease late = granting.tryAcquire();
        Objects.requireNonNull(asked.get()).onLease(late);
        assertThat(granting.availablePermits()).isEqualTo(1);
    }

    /** A little later each time, so that some answers meet the moment. */
    private void answer() {
        for (int round = 0; !Thread.currentThread().isInterrupted(); ) {
            PermitListener listener = asked.getAndSet(null);
            if (listener != null) {
                for (int pause = round++ % 200; pause > 0; pause--) {
                    Thread.onSpinWait();
                }
                listener.onLease(grant);
            }
        }
    }

    private record Settled() implements PermitRequest {

        @Override
        public boolean cancel() {
            return false;
        }

        @Override
        public boolean isSettled() {
            return true;
        }
    }

    private record Straight() implements Admission.Continuation<Lease> {

        @Override
        public Mono<Lease> go(Lease answer) {
            return Mono.just(answer);
        }

        @Override
        public void left(Lease answer) {}

        @Override
        public Mono<Lease> failed(RuntimeException complaint) {
            return Mono.error(complaint);
        }
    }
}
