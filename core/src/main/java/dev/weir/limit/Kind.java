package dev.weir.limit;

/** Checks which limits a policy can be reconfigured between. */
final class Kind {

    private Kind() {}

    /**
     * Returns whether the policy of one limit can be reconfigured to the other, judging by their own classes, not their members.
     */
    static boolean isSame(Limit before, Limit after) {
        if (before instanceof CountingCalls calls && after instanceof CountingCalls changed) {
            return isSame(calls.limit(), changed.limit());
        }
        if (before instanceof TokenBucket bucket && after instanceof TokenBucket changed) {
            return bucket.inSteps() == changed.inSteps();
        }
        return before.getClass() == after.getClass();
    }
}
