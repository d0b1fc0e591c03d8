package dev.weir.redis;

/**
 * Usage admitted alone and not yet reported, of a limit with several parts or one that counts requests: the store charges each part
 * by what it counts, up to its capacity.
 *
 * @param permits how many permits
 * @param calls how many requests took them
 */
record Untold(long permits, long calls) {

    static final Untold NOTHING = new Untold(0, 0);

    Untold and(Untold more) {
        return new Untold(permits + more.permits, calls + more.calls);
    }

    boolean isNothing() {
        return permits == 0 && calls == 0;
    }
}
