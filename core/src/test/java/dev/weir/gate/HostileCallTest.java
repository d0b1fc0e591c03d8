package dev.weir.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.DelegatingTime;
import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.stream.StreamOptions;
import dev.weir.time.TimeSource;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A limiter that throws as it grants the permit of a call or takes it back: the call ends all the same. */
class HostileCallTest {

    private final PassingTime time = new PassingTime(new Random(1), 0);
    private final List<String> heard = new ArrayList<>();

    private final TimeSource breaking = new DelegatingTime(time) {
        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            return () -> {
                throw new IllegalStateException("timer");
            };
        }
    };

    private final GatedCall<Integer, String> call = new QuietCall<>() {
        @Override
        public void subscribe(Lease lease) {
            heard.add("begun");
        }

        @Override
        public void error(Throwable error) {
            heard.add("refused " + error.getMessage());
        }

        @Override
        public void complete() {
            heard.add("complete");
        }

        @Override
        public Throwable rejected(RejectedExecutionException rejection) {
            throw new IllegalStateException("rejected");
        }

        @Override
        public void errorDropped(Throwable error) {
            heard.add(error.getMessage());
            throw new IllegalStateException("hook");
        }
    };

    @BeforeEach
    void catchWhatNobodyCatches() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> heard.add(thrown.getMessage()));
    }

    @AfterEach
    void catchNoMore() {
        Thread.currentThread().setUncaughtExceptionHandler(null);
    }

    private CallGate<Integer, String> entered(RateLimiter limiter) {
        CallGate<Integer, String> gate = new CallGate<>(limiter, 1, StreamOptions.defaults(), null, call);
        gate.enter();
        return gate;
    }

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).timeSource(breaking).build();
    }

    private CallGate<Integer, String> begunWhileOthersWait(RateLimiter slots) {
        CallGate<Integer, String> gate = entered(slots);
        slots.acquire(1, Duration.ofSeconds(1), Lease::close);
        return gate;
    }

    @Test
    @DisplayName("when it ends, and when it is cancelled: whoever does so hears nothing of it, and who waits is served")
    void takingBack() {
        RateLimiter slots = limiter(Limit.concurrency(1));
        begunWhileOthersWait(slots).complete();
        begunWhileOthersWait(slots).cancel();
        assertThat(heard).containsExactly("begun", "timer", "hook", "complete", "begun", "timer", "hook");
        assertThat(slots.availablePermits()).isEqualTo(1);
    }

    @Test
    @DisplayName("when it is cancelled as it waits: the same")
    void cancelledAsItWaits() {
        RateLimiter limiter = limiter(Limit.of(1, Duration.ofSeconds(1)));
        limiter.tryConsume(1);
        CallGate<Integer, String> gate = entered(limiter);
        gate.cancel();
        assertThat(heard).containsExactly("timer", "hook");
        assertThat(limiter.statistics().queuedPermits()).isZero();
    }

    @Test
    @DisplayName("an executor that takes no more tasks, with a limiter and a hook that throw: the call fails")
    void rejected() {
        ManualLimiter limiter = new ManualLimiter();
        CallGate<Integer, String> gate =
                new CallGate<>(limiter.limiter(), 1, StreamOptions.defaults(), HostileCallTest::reject, call);
        gate.enter();
        limiter.tell();
        assertThat(heard).containsExactly("back", "hook", "refused rejected");
    }

    @Test
    @DisplayName("a limiter that throws when it has granted the permit already: the permit goes back")
    void grantedAndThrown() {
        ManualLimiter limiter = new ManualLimiter();
        limiter.tellsAtOnce = true;
        entered(limiter.limiter());
        assertThat(heard).containsExactly("back", "hook", "refused acquire");
    }

    private static void reject(Runnable task) {
        throw new RejectedExecutionException("full");
    }

    /** Grants when it is told to, and throws when it is given back to. */
    private static final class ManualLimiter {

        private static final PermitRequest NOTHING_TO_CANCEL =
                RateLimiter.of(Limit.unlimited()).acquire(1, lease -> {});

        private @Nullable PermitListener listener;
        private boolean tellsAtOnce;

        RateLimiter limiter() {
            return (RateLimiter) Proxy.newProxyInstance(
                    RateLimiter.class.getClassLoader(), new Class<?>[] {RateLimiter.class}, (proxy, method, given) -> {
                        listener = (PermitListener) given[1];
                        if (tellsAtOnce) {
                            tell();
                            throw new IllegalStateException("acquire");
                        }
                        return NOTHING_TO_CANCEL;
                    });
        }

        void tell() {
            Objects.requireNonNull(listener).onLease(lease());
        }

        private static Lease lease() {
            return (Lease)
                    Proxy.newProxyInstance(Lease.class.getClassLoader(), new Class<?>[] {Lease.class}, (p, m, a) -> {
                        throw new IllegalStateException("back");
                    });
        }
    }
}
