package dev.weir.limit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Several limits as one: a request passes when all of them let it pass, and then takes from all of them, else from none.
 *
 * <p>All or nothing also among threads: nobody ever finds a permit of one limit taken for a request that another one refuses.
 * Limits of this kind among them are replaced by those that they consist of.
 *
 * <p>Bound: that of each of the limits. A request may be as large as the smallest of their capacities.
 *
 * @param limits the limits, at least one
 */
public record AllOf(List<Limit> limits) implements Limit {

    /**
     * Checks the argument.
     *
     * @param limits the limits, at least one
     * @throws IllegalArgumentException if there are no limits
     * @throws NullPointerException if the list or one of the limits is missing
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
