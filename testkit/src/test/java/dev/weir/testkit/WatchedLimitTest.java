package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Lease;
import dev.weir.RateLimiter;
import dev.weir.limit.DecisionSource;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.limit.WaitingRequest;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A watched limit does what the limit does, whatever is asked of it. */
final class WatchedLimitTest {

    private final PermitLedger ledger = new PermitLedger();
    private final VirtualTimeSource time = new VirtualTimeSource();

    static Stream<Method> methods() {
        return Stream.of(PermitPolicy.class.getDeclaredMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic());
    }

    @ParameterizedTest
    @MethodSource("methods")
    @DisplayName("each method of a policy is passed on as it is")
    void passesOn(Method method) throws ReflectiveOperationException {
        Recording kept = new Recording(new ArrayList<>());
        PermitPolicy watched = ledger.watching(kept).newPolicy(0);
        boolean changes = method.getName().equals("reconfigure");
        Object[] passed = arguments(method, kept);

        method.invoke(watched, changes ? arguments(method, ledger.watching(kept)) : passed);

        assertThat(kept.calls).contains(method.getName() + Arrays.toString(passed));
    }

    private static Object[] arguments(Method method, Limit limit) {
        int[] number = {3};
        return Stream.of(method.getParameterTypes())
                .map(type -> argument(type, number[0]++, limit))
                .toArray();
    }

    private static Object argument(Class<?> type, int number, Limit limit) {
        if (type == int.class) {
            return number;
        }
        if (type == long.class) {
            return (long) number;
        }
        if (type == boolean.class) {
            return true;
        }
        if (type == WaitingRequest.class) {
            return new Waiting(number);
        }
        return type == Limit.class ? limit : (Runnable) () -> {};
    }

    /** The only request that waits. */
    private record Waiting(int permits) implements WaitingRequest {

        @Override
        public @Nullable WaitingRequest next() {
            return null;
        }
    }

    @Test
    @DisplayName("a lease settled for less gives back once, for more is charged, and the books agree")
    void settles() {
        for (Limit limit : List.of(
                Limit.of(9, Duration.ofSeconds(1)),
                Limit.concurrency(9),
                Limit.tokenBucket(9, 1, Duration.ofSeconds(1)),
                Limit.allOf(Limit.concurrency(9), Limit.of(9, Duration.ofSeconds(1))))) {
            PermitLedger books = new PermitLedger();
            RateLimiter plain = limiter(limit);
            RateLimiter watched = limiter(books.watching(limit));
            boolean returns = limit.newPolicy(0).returnsOnRelease();
            for (int actual : new int[] {1, 3, 5}) {
                for (boolean isLate : new boolean[] {false, true}) {
                    use(plain.tryAcquire(3), actual, isLate);
                    use(books.delivered(watched.tryAcquire(3)), actual, isLate);
                    books.returned(returns ? 3 : Math.max(0, 3 - actual));
                    assertThat(watched.availablePermits()).isEqualTo(plain.availablePermits());
                    books.assertConserved();
                    time.advanceBy(Duration.ofSeconds(9));
                }
            }
        }
    }

    private static void use(Lease lease, int actual, boolean isLate) {
        assertThat(lease.isAcquired()).isTrue();
        if (isLate) {
            lease.close();
        }
        lease.settle(actual);
        lease.close();
    }

    private RateLimiter limiter(Limit limit) {
        return RateLimiter.builder(limit).timeSource(time).build();
    }

    /** A limit whose policies write down what they are asked. */
    private record Recording(List<String> calls) implements Limit {

        @Override
        public int capacity() {
            return 9;
        }

        @Override
        public PermitPolicy newPolicy(long nowNanos) {
            return (PermitPolicy) Proxy.newProxyInstance(
                    PermitPolicy.class.getClassLoader(),
                    new Class<?>[] {PermitPolicy.class},
                    (proxy, method, arguments) -> {
                        calls.add(method.getName()
                                + Arrays.toString(Objects.requireNonNullElse(arguments, new Object[0])));
                        Class<?> type = method.getReturnType();
                        if (type == int.class) {
                            return 0;
                        }
                        if (type == long.class) {
                            return 0L;
                        }
                        return type == boolean.class
                                ? true
                                : type == DecisionSource.class ? DecisionSource.LOCAL : null;
                    });
        }

        @Override
        public String toString() {
            return "Recording";
        }
    }
}
