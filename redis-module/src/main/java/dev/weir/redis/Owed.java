package dev.weir.redis;

/**
 * Usage to be charged at the store, whether there are permits for it or not.
 *
 * @param charge permits charged to every part of the limit that counts permits; no more than an int holds
 * @param permits permits admitted alone, of a limit with several parts or one that counts requests: each part is charged what it counts
 *     of them, up to its capacity
 * @param calls how many requests were admitted with those
 */
record Owed(long charge, long permits, long calls) {

    static final Owed NOTHING = charged(0);

    Owed {
        charge = Math.min(Integer.MAX_VALUE, charge);
    }

    static Owed charged(long permits) {
        return new Owed(permits, 0, 0);
    }

    static Owed admitted(long permits, long calls) {
        return new Owed(0, permits, calls);
    }

    Owed and(Owed more) {
        return new Owed(charge + more.charge, permits + more.permits, calls + more.calls);
    }

    boolean isNothing() {
        return charge == 0 && !hasAdmitted();
    }

    /** Returns whether there are permits that each part counts in its own way. */
    boolean hasAdmitted() {
        return permits > 0 || calls > 0;
    }
}
