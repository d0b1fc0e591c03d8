package dev.weir.limit;

import org.jetbrains.lincheck.datastructures.Operation;

/**
 * Takes from a policy at one instant, and gives back. Two permits are free at first; so many are out that a scenario cannot
 * give back more than was taken, and no more, as Lincheck takes a loop over more than a few for one that waits.
 */
public abstract class TakeOperations {

    static final int FREE = 2;
    static final int OUT = 6;

    final PermitPolicy policy;

    TakeOperations(Limit limit) {
        policy = limit.newPolicy(0);
        for (int i = 0; i < OUT; i++) {
            if (policy.tryTake(1, 0) != PermitPolicy.TAKEN) {
                throw new IllegalStateException(limit + " does not have " + OUT + " permits");
            }
        }
    }

    @Operation
    public boolean takeOne() {
        return policy.tryTake(1, 0) == PermitPolicy.TAKEN;
    }

    @Operation
    public boolean takeTwo() {
        return policy.tryTake(2, 0) == PermitPolicy.TAKEN;
    }

    @Operation
    public void giveBackOne() {
        policy.giveBack(1, 0, 0);
    }
}
