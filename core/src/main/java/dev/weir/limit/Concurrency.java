package dev.weir.limit;

/**
 * A limit of what is under way at the same time: a permit is out until its lease is closed.
 *
 * <p>Bound: at no instant are more than {@code permits} permits out. Time alone returns nothing: a lease that is never
 * closed is lost. A refusal therefore names no time after which to try again, and charging does nothing: no lease would ever
 * return what was charged.
 *
 * @param permits the most permits that are out at any instant; at least 1
 */
public record Concurrency(int permits) implements Limit {

    /**
     * Checks the arguments.
     *
     * @param permits the most permits that are out at any instant
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
