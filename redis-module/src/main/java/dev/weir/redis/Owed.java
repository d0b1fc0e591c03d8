package dev.weir.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * Usage to be charged at the store, whether there are permits for it or not.
 *
 * @param charge permits charged to every part of the limit that counts permits; no more than an int holds
 * @param inShare how many of these this node's share counts already
 * @param ofParts what this node has admitted alone, or was charged then: of each part what it counts, and no more than an int holds;
 *     empty if nothing
 */
record Owed(long charge, long inShare, List<Long> ofParts) {

    static final Owed NOTHING = charged(0);

    Owed {
        charge = Math.min(Integer.MAX_VALUE, charge);
        inShare = Math.min(charge, inShare);
        boolean isAny = ofParts.stream().anyMatch(usage -> usage > 0);
        ofParts = isAny
                ? ofParts.stream()
                        .map(usage -> Math.min(Integer.MAX_VALUE, usage))
                        .toList()
                : List.of();
    }

    static Owed charged(long permits) {
        return charged(permits, false);
    }

    static Owed charged(long permits, boolean isInShare) {
        return new Owed(permits, isInShare ? permits : 0, List.of());
    }

    static Owed ofParts(List<Long> usage) {
        return new Owed(0, 0, usage);
    }

    Owed and(Owed more) {
        return new Owed(charge + more.charge, inShare + more.inShare, sum(ofParts, more.ofParts));
    }

    private static List<Long> sum(List<Long> some, List<Long> more) {
        if (some.isEmpty() || more.isEmpty()) {
            return some.isEmpty() ? more : some;
        }
        List<Long> sum = new ArrayList<>();
        for (int part = 0; part < some.size(); part++) {
            sum.add(some.get(part) + more.get(part));
        }
        return sum;
    }

    boolean isNothing() {
        return charge == 0 && ofParts.isEmpty();
    }

    /** Returns what the part is charged that owes most. */
    long most() {
        return charge + ofParts.stream().mapToLong(Long::longValue).max().orElse(0);
    }
}
