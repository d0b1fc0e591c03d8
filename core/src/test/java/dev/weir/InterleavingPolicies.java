package dev.weir;

import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.function.BiPredicate;

/** Policies that let something happen when they have done what they were asked for, before the limiter goes on. */
final class InterleavingPolicies {

    private InterleavingPolicies() {}

    static PermitPolicy whenTaken(PermitPolicy policy, Runnable meanwhile) {
        return after(
                policy,
                (method, answer) -> method.startsWith("tryTake") && Objects.equals(answer, PermitPolicy.TAKEN),
                meanwhile);
    }

    static PermitPolicy whenReconfigured(PermitPolicy policy, Runnable meanwhile) {
        return after(policy, (method, answer) -> method.equals("reconfigure"), meanwhile);
    }

    /** Has somebody else call {@code reconfigure}, at a time of its own. */
    static PermitPolicy aroundReconfigure(PermitPolicy policy, Around around) {
        return proxy((method, arguments) -> {
            if (!method.getName().equals("reconfigure")) {
                return method.invoke(policy, arguments);
            }
            around.call(() -> policy.reconfigure((Limit) arguments[0], (long) arguments[1]));
            return null;
        });
    }

    /** What happens around a call. */
    interface Around {
        void call(Runnable original) throws InterruptedException;
    }

    private static PermitPolicy after(PermitPolicy policy, BiPredicate<String, Object> call, Runnable meanwhile) {
        return proxy((method, arguments) -> {
            Object answer = method.invoke(policy, arguments);
            if (call.test(method.getName(), answer)) {
                meanwhile.run();
            }
            return answer;
        });
    }

    private interface Invocation {
        Object handle(Method method, Object[] arguments) throws Exception;
    }

    private static PermitPolicy proxy(Invocation invocation) {
        return (PermitPolicy) Proxy.newProxyInstance(
                PermitPolicy.class.getClassLoader(),
                new Class<?>[] {PermitPolicy.class},
                (proxy, method, arguments) -> invocation.handle(method, arguments));
    }
}
