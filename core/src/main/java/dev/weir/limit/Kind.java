package dev.weir.limit;

import java.util.List;
import java.util.stream.IntStream;

/** Checks which limits a policy can be reconfigured between. */
final class Kind {

    private Kind() {}

    /** Returns a limit as one of the class that a policy is made for. Throws if it is of another. */
    static <L extends Limit> L checked(Class<L> kind, Limit limit) {
        if (!kind.isInstance(limit)) {
            throw mismatch(limit);
        }
        return kind.cast(limit);
    }

    /** Returns what a policy throws that cannot be reconfigured to a limit. */
    static IllegalArgumentException mismatch(Limit limit) {
        return new IllegalArgumentException("This limiter cannot be reconfigured to " + limit);
    }

    /**
     * Returns whether the policy of one limit can be reconfigured to the other, as far as that can be told without asking it: a limit
     * of one's own may refuse.
     */
    static boolean isSame(Limit before, Limit after) {
        if (before instanceof CountingCalls calls && after instanceof CountingCalls changed) {
            return isSame(calls.limit(), changed.limit());
        }
        if (before instanceof TokenBucket bucket && after instanceof TokenBucket changed) {
            return bucket.inSteps() == changed.inSteps();
        }
        if (before instanceof AllOf several && after instanceof AllOf changed) {
            return areSame(several.limits(), changed.limits());
        }
        return before.getClass() == after.getClass();
    }

    private static boolean areSame(List<Limit> before, List<Limit> after) {
        return before.size() == after.size()
                && IntStream.range(0, before.size()).allMatch(i -> isSame(before.get(i), after.get(i)));
    }
}
