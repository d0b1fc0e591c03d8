package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.PermitListener;
import dev.weir.PermitRequest;
import dev.weir.RateLimiter;
import dev.weir.RateLimiterStatistics;
import dev.weir.limit.Limit;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A limiter of one's own that has what the interface asks for, and nothing else: the contracts ask for no more. */
final class OwnLimiterContractTest implements ContractSubject {

    @Override
    public RateLimiter.Builder builder(Limit limit) {
        return wrapping(RateLimiter.builder(limit));
    }

    @Override
    public Limit limit(int permits, Duration period) {
        return Limit.of(permits, period);
    }

    @Test
    @DisplayName("each test of a contract has an instance of its own, whatever is usual where it runs")
    void instances() {
        assertThat(List.of(Arguments.class, Queue.class, Pausing.class))
                .extracting(contract -> contract.getAnnotation(TestInstance.class))
                .extracting(TestInstance::value)
                .containsOnly(TestInstance.Lifecycle.PER_METHOD);
    }

    private static RateLimiter.Builder wrapping(RateLimiter.Builder builder) {
        return (RateLimiter.Builder) Proxy.newProxyInstance(
                RateLimiter.Builder.class.getClassLoader(),
                new Class<?>[] {RateLimiter.Builder.class},
                (proxy, method, arguments) ->
                        call(builder, method, arguments) instanceof RateLimiter built ? new OwnLimiter(built) : proxy);
    }

    private static Object call(RateLimiter.Builder builder, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(builder, arguments);
        } catch (InvocationTargetException failed) {
            throw failed.getTargetException();
        }
    }

    @Nested
    final class Arguments extends ArgumentsContract {
        Arguments() {
            super(OwnLimiterContractTest.this, 0);
        }
    }

    @Nested
    final class Queue extends QueueContract {
        Queue() {
            super(OwnLimiterContractTest.this, 0);
        }
    }

    @Nested
    final class Pausing extends PauseContract {
        Pausing() {
            super(OwnLimiterContractTest.this, 0);
        }
    }

    @Nested
    final class Retiming extends RetimingContract {
        Retiming() {
            super(OwnLimiterContractTest.this, 0);
        }
    }

    private record OwnLimiter(RateLimiter engine) implements RateLimiter {

        @Override
        public String name() {
            return engine.name();
        }

        @Override
        public Limit limit() {
            return engine.limit();
        }

        @Override
        public Lease tryAcquire(int permits) {
            return engine.tryAcquire(permits);
        }

        @Override
        public CompletableFuture<Lease> acquire(int permits) {
            return engine.acquire(permits);
        }

        @Override
        public PermitRequest acquire(int permits, PermitListener listener) {
            return engine.acquire(permits, listener);
        }

        @Override
        public PermitRequest acquire(int permits, Duration maxWait, PermitListener listener) {
            return engine.acquire(permits, maxWait, listener);
        }

        @Override
        public void charge(int permits) {
            engine.charge(permits);
        }

        @Override
        public void pauseFor(Duration duration) {
            engine.pauseFor(duration);
        }

        @Override
        public void reconfigure(Limit limit) {
            engine.reconfigure(limit);
        }

        @Override
        public long availablePermits() {
            return engine.availablePermits();
        }

        @Override
        public RateLimiterStatistics statistics() {
            return engine.statistics();
        }

        @Override
        public Optional<Duration> idleDuration() {
            return engine.idleDuration();
        }

        @Override
        public void close() {
            engine.close();
        }
    }
}
