package dev.weir.limit;

/**
 * What is known of grants whose times are not: of any so many and one more that follow each other, the last came so much later
 * than the first. Those that had come back by themselves when the limit changed do not come back a second time.
 *
 * @param places how many; zero if nothing was forgotten
 * @param nanos by how much later
 * @param returned the offset of the latest that can have come back before the limit changed, {@link GrantLog#NEVER} if none did
 */
record Forgotten(int places, long nanos, long returned) {

    static final Forgotten NOTHING = new Forgotten(0, Long.MAX_VALUE, GrantLog.NEVER);

    /** What is known if grants of another pace are forgotten, too. */
    Forgotten and(int morePlaces, long otherNanos) {
        return new Forgotten(Math.max(places, morePlaces), Math.min(nanos, otherNanos), returned);
    }

    /** The same when the limit changes, by which time all of them have come back that were granted until then. */
    Forgotten returnedUntil(long offset) {
        return places == 0 ? this : new Forgotten(places, nanos, Math.max(returned, offset));
    }

    /** The same, counted from an origin so much later. */
    Forgotten after(long passed) {
        return returned == GrantLog.NEVER
                ? this
                : new Forgotten(places, nanos, Math.max(GrantLog.NEVER, returned - passed));
    }

    /** Whether any of them may have happened less than a period ago. */
    boolean mayCountWithin(long periodNanos) {
        return nanos < periodNanos;
    }
}
