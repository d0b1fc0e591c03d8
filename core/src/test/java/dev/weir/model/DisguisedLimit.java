package dev.weir.model;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * A limit whose policy is that of another, but for what a disguise makes of the calls: to watch it, or to break it.
 *
 * @param kept the other limit
 * @param disguise what becomes of each call
 */
record DisguisedLimit(Limit kept, Disguise disguise) implements Limit {

    /** Stands between a limiter and the policy that it calls. */
    interface Disguise {
        Object call(PermitPolicy policy, Method method, Object[] arguments) throws Throwable;
    }

    @Override
    public int capacity() {
        return kept.capacity();
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        PermitPolicy policy = kept.newPolicy(nowNanos);
        return (PermitPolicy) Proxy.newProxyInstance(
                PermitPolicy.class.getClassLoader(),
                new Class<?>[] {PermitPolicy.class},
                (proxy, method, arguments) -> disguise.call(policy, method, arguments));
    }

    /** The call as it is. Of a limit in disguise, the policy only knows what is underneath. */
    static Object call(PermitPolicy policy, Method method, Object[] arguments) throws Throwable {
        try {
            return arguments != null && arguments[0] instanceof DisguisedLimit changed
                    ? method.invoke(policy, changed.kept, arguments[1])
                    : method.invoke(policy, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
