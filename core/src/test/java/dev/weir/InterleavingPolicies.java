package dev.weir;

import dev.weir.limit.PermitPolicy;
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

    private static PermitPolicy after(PermitPolicy policy, BiPredicate<String, Object> call, Runnable meanwhile) {
        return (PermitPolicy) Proxy.newProxyInstance(
                PermitPolicy.class.getClassLoader(),
                new Class<?>[] {PermitPolicy.class},
                (proxy, method, arguments) -> {
                    Object answer = method.invoke(policy, arguments);
                    if (call.test(method.getName(), answer)) {
                        meanwhile.run();
                    }
                    return answer;
                });
    }
}
