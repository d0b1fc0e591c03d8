package dev.weir.limit;

import org.jspecify.annotations.Nullable;

/** The part of {@link AllOfPolicy} that concerns members which keep their permits in a remote store. */
final class StoresBehind {

    private StoresBehind() {}

    /** Returns the longest of all, but zero if one refuses whose answer is not open: then the request exceeds the limit anyway. */
    static long nanosUntilDecided(PermitPolicy[] members, int permits, long nowNanos) {
        long longest = 0;
        for (PermitPolicy member : members) {
            longest = Math.max(longest, member.nanosUntilDecided(permits, nowNanos));
        }
        return longest == 0 || isRefusedByAny(members, permits, nowNanos) ? 0 : longest;
    }

    private static boolean isRefusedByAny(PermitPolicy[] members, int permits, long nowNanos) {
        for (PermitPolicy member : members) {
            if (member.nanosUntilDecided(permits, nowNanos) == 0
                    && member.nanosUntil(0, permits, nowNanos) != PermitPolicy.TAKEN) {
                return true;
            }
        }
        return false;
    }

    /** Returns the failure of the first that has one. */
    static @Nullable Throwable failure(PermitPolicy[] members, long nowNanos) {
        Throwable first = null;
        for (int i = 0; i < members.length && first == null; i++) {
            first = members[i].failure(nowNanos);
        }
        return first;
    }

    /** Returns the source furthest from the usual: the last in enum order. */
    static DecisionSource source(PermitPolicy[] members, long nowNanos) {
        DecisionSource last = DecisionSource.LOCAL;
        for (PermitPolicy member : members) {
            DecisionSource source = member.source(nowNanos);
            last = source.compareTo(last) > 0 ? source : last;
        }
        return last;
    }
}
