package dev.weir.redis;

import dev.weir.RateLimiter;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.testkit.LeasedLimiterContract;
import dev.weir.time.TimeSource;
import java.lang.reflect.Proxy;
import java.time.Duration;

/** Leaves out what a node would do after a day, as it polls and renews: the contract counts timers, and there is no other node. */
final class ConcurrencyFleetContractTest extends LeasedLimiterContract {

    @Override
    public RateLimiter.Builder builder(Limit limit) {
        FleetPolicies policies = (kept, key, time, order, now) -> {
            FleetTerms terms = new FleetTerms(kept, ModelFleet.SETTINGS);
            Store store = new ModelStore(kept, time);
            return untilTomorrow(new FleetPolicy(terms, store, Nodes.node(), new UntilTomorrow(time), order, now));
        };
        return new FleetLimiterBuilder(limit, policies, made -> {});
    }

    @Override
    public Limit limit(int permits, Duration period) {
        return Limit.concurrency(permits);
    }

    private static PermitPolicy untilTomorrow(PermitPolicy policy) {
        return (PermitPolicy) Proxy.newProxyInstance(
                PermitPolicy.class.getClassLoader(), new Class<?>[] {PermitPolicy.class}, (proxy, called, values) -> {
                    Object result = called.invoke(policy, values);
                    boolean isLater = called.getName().equals("tryTakeFirst") && UntilTomorrow.isLater((long) result);
                    return isLater ? PermitPolicy.AWAIT_SIGNAL : result;
                });
    }

    private record UntilTomorrow(TimeSource time) implements TimeSource {

        static boolean isLater(long nanos) {
            return nanos > TestSettings.A_DAY_NANOS / 2 && nanos <= TestSettings.A_DAY_NANOS;
        }

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public Cancellable schedule(Runnable task, long delayNanos) {
            return isLater(delayNanos) ? () -> {} : time.schedule(task, delayNanos);
        }
    }
}
