package dev.weir.limit;

/**
 * What a {@link GrantRing} keeps for its successor and never reads: grants that have no slot as the limit was reduced, and what
 * was forgotten before the ring began. One object, which nearly all rings share, as there may be a million of them.
 */
final class Earlier {

    private static final Earlier NONE = new Earlier(new long[0], Forgotten.NOTHING);

    final long[] unplaced;
    final Forgotten forgotten;

    private Earlier(long[] unplaced, Forgotten forgotten) {
        this.unplaced = unplaced;
        this.forgotten = forgotten;
    }

    static Earlier than(GrantLog log) {
        long[] unplaced = log.older();
        boolean none = unplaced.length == 0 && log.forgotten().equals(Forgotten.NOTHING);
        return none ? NONE : new Earlier(unplaced, log.forgotten());
    }
}
