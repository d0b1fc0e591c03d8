package dev.weir.limit;

/**
 * A limit on concurrency: a permit is in use until its lease is closed.
 *
 * <p>Bound: at no instant are more than {@code permits} permits in use. Permits do not return with time: the permits of a lease
 * that is never closed are lost. A refusal therefore gives no time after which to retry, and charging does nothing, because no
 * lease would ever return what was charged.
 *
 * @param permits the maximum number of permits in use at any instant; at least 1
 */
public record Concurrency(int permits) implements Limit {

    /**
     * Checks the arguments.
     *
     * @param permits the maximum number of permits in use at any instant
     * @throws IllegalArgumentException if {@code permits} is not positive
     */
    public Concurrency {
        Arguments.positive(permits, "permits");
    }

    @Override
    public int capacity() {
        return permits;
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        return new ConcurrencyPolicy(permits, nowNanos);
    }
}
