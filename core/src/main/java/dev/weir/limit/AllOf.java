package dev.weir.limit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Several limits combined into one: a request passes if all of them admit it, and then takes from all of them; otherwise from
 * none.
 *
 * <p>This is atomic across threads: no thread ever finds a permit of one limit taken by a request that another limit refuses.
 * With a limit of your own among them it may, for a moment, above all if its policy does not override
 * {@link PermitPolicy#nanosUntil}, and so tells by taking. Others that take may spin while one thread is inside that
 * policy's {@code tryTake}, {@code putBack} or {@code reconfigure}, so none of these should take long. Nested limits of this
 * kind are replaced by their members.
 *
 * <p>Bound: that of each of the limits. The largest possible request is the smallest of their capacities.
 *
 * @param limits the limits, at least one
 */
public record AllOf(List<Limit> limits) implements Limit {

    /**
     * Checks the argument.
     *
     * @param limits the limits, at least one
     * @throws IllegalArgumentException if {@code limits} is empty
     * @throws NullPointerException if the list or one of the limits is null
     */
    public AllOf {
        Objects.requireNonNull(limits, "limits");
        List<Limit> flat = new ArrayList<>();
        for (int i = 0; i < limits.size(); i++) {
            Limit limit = Objects.requireNonNull(limits.get(i), "limits[" + i + "]");
            flat.addAll(limit instanceof AllOf several ? several.limits() : List.of(limit));
        }
        if (flat.isEmpty()) {
            throw new IllegalArgumentException("limits must be at least 1, but are none");
        }
        limits = List.copyOf(flat);
    }

    @Override
    public int capacity() {
        return limits.stream().mapToInt(Limit::capacity).min().orElseThrow();
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        return new AllOfPolicy(limits, nowNanos);
    }
}
