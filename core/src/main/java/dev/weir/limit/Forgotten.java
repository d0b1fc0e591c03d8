package dev.weir.limit;

/**
 * What is known of grants whose times were forgotten: of any {@code places + 1} consecutive ones, the last came at least
 * {@code nanos} later than the first. Those that had returned by themselves when the limit changed do not return a second time.
 *
 * @param places the number of grants; zero if nothing was forgotten
 * @param nanos by how much later the last came at least
 * @param returned the offset of the latest one that can have returned before the limit changed, {@link GrantLog#NEVER} if none
 *     did
 */
record Forgotten(int places, long nanos, long returned) {

    static final Forgotten NOTHING = new Forgotten(0, Long.MAX_VALUE, GrantLog.NEVER);

    /** Returns what is known if grants of another pace are forgotten, too. */
    Forgotten and(int morePlaces, long otherNanos) {
        return new Forgotten(Math.max(places, morePlaces), Math.min(nanos, otherNanos), returned);
    }

    /** Returns the same when the limit changes, by which time all grants up to an offset have returned. */
    Forgotten returnedUntil(long offset) {
        return places == 0 ? this : new Forgotten(places, nanos, Math.max(returned, offset));
    }

    /** Returns the same, counted from an origin that is {@code passed} later. */
    Forgotten after(long passed) {
        return returned == GrantLog.NEVER
                ? this
                : new Forgotten(places, nanos, Math.max(GrantLog.NEVER, returned - passed));
    }

    /** Returns whether any of them may have happened less than a period ago. */
    boolean mayCountWithin(long periodNanos) {
        return nanos < periodNanos;
    }
}
