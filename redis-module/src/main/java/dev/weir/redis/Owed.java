package dev.weir.redis;

/**
 * What the store is to be charged for when it is back.
 *
 * @param charge permits, to every part of the limit that counts permits
 * @param untold what each part counts in its own way
 */
record Owed(long charge, Untold untold) {

    static final Owed NOTHING = new Owed(0, Untold.NOTHING);
}
