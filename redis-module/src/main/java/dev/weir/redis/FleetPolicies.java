package dev.weir.redis;

import dev.weir.QueueOrder;
import dev.weir.limit.Limit;
import dev.weir.limit.PermitPolicy;
import dev.weir.time.TimeSource;
import org.jspecify.annotations.Nullable;

/** Creates the policies of a limiter that asks a store. */
interface FleetPolicies {

    /** Creates the policy of a limit for a key, or, if the key is null, for the only one or for all keys that overflow. */
    PermitPolicy newPolicy(Limit limit, @Nullable Object key, TimeSource time, QueueOrder order, long nowNanos);
}
