package dev.weir.redis;

/**
 * What a node has admitted alone of several limits in one, or of one that counts requests: the store charges each of them by what it
 * counts, and with no more than it has in all.
 *
 * @param permits how many permits
 * @param calls to how many requests
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
