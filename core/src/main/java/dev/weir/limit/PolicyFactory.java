package dev.weir.limit;

import org.jspecify.annotations.Nullable;

/** Creates the policies of limits, in place of {@link Limit#newPolicy}; for example when permits are kept in a remote store. */
@FunctionalInterface
public interface PolicyFactory {

    /**
     * Creates a policy. Called with no lock held, possibly more often than a policy is needed: a policy that is never asked for
     * permits must leave nothing behind.
     *
     * @param limit the limit to enforce
     * @param key the key, for a partitioned limiter; otherwise null, and null for what the keys beyond the maximum share
     * @param nowNanos the current time on the clock whose times will be passed to the policy
     * @return a new policy
     */
    PermitPolicy newPolicy(Limit limit, @Nullable Object key, long nowNanos);
}
