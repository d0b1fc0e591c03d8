package dev.weir.redis;

/**
 * Usage of an outage to be charged at the store when it is back.
 *
 * @param charge permits, charged to every part of the limit that counts permits
 * @param untold usage that each part counts in its own way
 */
record Owed(long charge, Untold untold) {

    static final Owed NOTHING = new Owed(0, Untold.NOTHING);
}
