package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** Subjects of contracts that are right but for one fault. */
final class FaultySubjects {

    private FaultySubjects() {}

    static void notices(ThrowingCallable test) {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(test);
    }

    static Limit bucketOf(int permits, Duration period) {
        return Limit.tokenBucket(permits, permits, period);
    }

    static Limit slotsOf(int permits, Duration unused) {
        return Limit.concurrency(permits);
    }

    static ContractSubject bucket(UnaryOperator<PermitPolicy> fault) {
        return subject(FaultySubjects::bucketOf, fault);
    }

    static ContractSubject leased(UnaryOperator<PermitPolicy> fault) {
        return subject(FaultySubjects::slotsOf, fault);
    }

    static ContractSubject subject(BiFunction<Integer, Duration, Limit> limits, UnaryOperator<PermitPolicy> fault) {
        return made(
                limits, builder -> builder.policies((kept, key, nowNanos) -> fault.apply(kept.newPolicy(nowNanos))));
    }

    /** Limiters that have their time from a source with a fault. */
    static ContractSubject timed(BiFunction<Integer, Duration, Limit> limits, Fault fault) {
        return made(
                limits,
                builder -> butFor(
                        RateLimiter.Builder.class,
                        builder,
                        "timeSource",
                        arguments -> builder.timeSource(new FaultyTime((TimeSource) arguments[0], fault))));
    }

    /** Builds limiters that do one thing otherwise. */
    static UnaryOperator<RateLimiter.Builder> butFor(
            String method, BiFunction<RateLimiter, Object[], @Nullable Object> instead) {
        return builder -> butFor(RateLimiter.Builder.class, builder, "build", unused -> {
            RateLimiter limiter = builder.build();
            return butFor(RateLimiter.class, limiter, method, arguments -> instead.apply(limiter, arguments));
        });
    }

    static ContractSubject made(BiFunction<Integer, Duration, Limit> limits, UnaryOperator<RateLimiter.Builder> fault) {
        return new ContractSubject() {
            @Override
            public RateLimiter.Builder builder(Limit limit) {
                return fault.apply(RateLimiter.builder(limit));
            }

            @Override
            public Limit limit(int permits, Duration period) {
                return limits.apply(permits, period);
            }
        };
    }

    @FunctionalInterface
    interface Fault {

        TimeSource.Cancellable schedule(TimeSource time, Runnable task, long delayNanos);
    }

    record FaultyTime(TimeSource time, Fault fault) implements TimeSource {

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            return fault.schedule(time, task, delayNanos);
        }
    }

    /** Does as another, but for one method. */
    static <T> T butFor(Class<T> face, T other, String method, Function<Object[], @Nullable Object> instead) {
        return face.cast(Proxy.newProxyInstance(
                face.getClassLoader(), new Class<?>[] {face}, (proxy, called, arguments) -> {
                    Object answer = called.getName().equals(method)
                            ? instead.apply(arguments)
                            : called.invoke(other, arguments);
                    return answer == other ? proxy : answer;
                }));
    }

    /** Does as another, but for what is overridden. */
    static class Faulty implements PermitPolicy {

        final PermitPolicy policy;

        Faulty(PermitPolicy policy) {
            this.policy = policy;
        }

        @Override
        public long tryTake(int permits, long nowNanos) {
            return policy.tryTake(permits, nowNanos);
        }

        @Override
        public void giveBack(int permits, long takenAtNanos, long nowNanos) {
            policy.giveBack(permits, takenAtNanos, nowNanos);
        }

        @Override
        public void charge(int permits, long nowNanos) {
            policy.charge(permits, nowNanos);
        }

        @Override
        public void settle(int taken, int actual, boolean released, long takenAtNanos, long nowNanos) {
            policy.settle(taken, actual, released, takenAtNanos, nowNanos);
        }

        @Override
        public void release(int permits, long nowNanos) {
            policy.release(permits, nowNanos);
        }

        @Override
        public boolean returnsOnRelease() {
            return policy.returnsOnRelease();
        }

        @Override
        public long available(long nowNanos) {
            return policy.available(nowNanos);
        }

        @Override
        public long nanosUntilFull(long nowNanos) {
            return policy.nanosUntilFull(nowNanos);
        }
    }
}
