package dev.weir.limit;

/** Which limits a policy can be changed between. */
final class Kind {

    private Kind() {}

    /** Tells whether the policy of one limit can become that of the other, as far as their own kinds go and not those of members. */
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
