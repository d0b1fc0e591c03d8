package dev.weir.limit;

/** The limit that admits everything at once. For tests, for tenants without a quota, and as a default. */
public record Unlimited() implements Limit {

    @Override
    public int capacity() {
        return Integer.MAX_VALUE;
    }

    @Override
    public PermitPolicy newPolicy(long nowNanos) {
        return new UnlimitedPolicy(nowNanos);
    }
}
