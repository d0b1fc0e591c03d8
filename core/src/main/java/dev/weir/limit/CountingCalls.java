package dev.weir.limit;

import java.util.Objects;

/**
 * A limit of requests rather than of permits: every request costs one, however many permits it asks for.
 *
 * <p>Together with another limit it bounds calls and what they cost at once:
 *
 * <pre>{@code
 * Limit minute = Limit.allOf(Limit.of(100_000, ofMinutes(1)), Limit.of(500, ofMinutes(1)).countingCalls());
 * }</pre>
 *
 * <p>Bound: that of the limit itself, in requests. What is charged or settled later is part of a request that has been counted,
 * and costs nothing here; a request that is given back as a whole is no longer counted. Counted in permits, nothing bounds a
 * request; as many count as available as there are requests.
 *
 * @param limit the limit, in requests
 */
public record CountingCalls(Limit limit) implements Limit {

    /**
     * Checks the argument.
     *
     * @param limit the limit, in requests
     * @throws NullPointerException if there is no limit
     */
    public CountingCalls {
        Objects.requireNonNull(limit, "limit");
    }

    /** Returns the largest number there is, as the size of a request does not matter. */
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
