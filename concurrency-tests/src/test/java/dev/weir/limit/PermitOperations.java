package dev.weir.limit;

import org.jetbrains.lincheck.datastructures.Operation;

/** All that threads do to a policy at one instant. */
public abstract class PermitOperations extends TakeOperations {

    PermitOperations(Limit limit) {
        super(limit);
    }

    @Operation
    public void chargeTwo() {
        policy.charge(2, 0);
    }

    @Operation
    public long available() {
        return policy.available(0);
    }
}
