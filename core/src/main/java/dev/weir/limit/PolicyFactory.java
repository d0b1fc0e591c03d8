package dev.weir.limit;

import org.jspecify.annotations.Nullable;

/** Makes the arithmetic that keeps limits, where it is not to be that of the limit itself, as when permits are kept elsewhere. */
@FunctionalInterface
public interface PolicyFactory {

    /**
     * Makes a policy. Called with nothing held, possibly more often than a policy is needed: one that is never asked for permits
     * must leave nothing behind.
     *
     * @param limit what to keep
     * @param key for which key, of a partitioned limiter; none otherwise, and for what further keys share
     * @param nowNanos the time on the clock that will be passed to the policy
     * @return a new policy
     */
    PermitPolicy newPolicy(Limit limit, @Nullable Object key, long nowNanos);
}
