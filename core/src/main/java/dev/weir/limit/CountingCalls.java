package dev.weir.limit;

import java.util.Objects;

/**
 * A limit on requests instead of permits: every request costs one, however many permits it asks for.
 *
 * <p>Combined with another limit, it bounds both the number of calls and their cost:
 *
 * <pre>{@code
 * Limit minute = Limit.allOf(Limit.of(100_000, ofMinutes(1)), Limit.of(500, ofMinutes(1)).countingCalls());
 * }</pre>
 *
 * <p>Bound: that of the wrapped limit, in requests. What is charged or settled later belongs to a request that has already been
 * counted, and costs nothing here. A request that is given back as a whole is no longer counted. The number of permits per
 * request is not limited; the available permits that are reported are the requests that remain.
 *
 * @param limit the limit, in requests
 */
public record CountingCalls(Limit limit) implements Limit {

    /**
     * Checks the argument.
     *
     * @param limit the limit, in requests
     * @throws NullPointerException if {@code limit} is null
     * @throws IllegalArgumentException if its capacity is not positive, as no request would ever be granted
     */
    public CountingCalls {
        Arguments.positive(Objects.requireNonNull(limit, "limit").capacity(), "the capacity of " + limit);
    }

    /** Returns {@link Integer#MAX_VALUE}, as the number of permits per request is not limited. */
    @Override
    public int capacity() {
        return Integer.MAX_VALUE;
    }

    @Override
    public Limit countingCalls() {
        return this;
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        return new CountingCallsPolicy(this, nowNanos);
    }
}
