package dev.weir.limit;

/**
 * What is known of grants whose times are not: of any so many and one more that follow each other, the last came so much later
 * than the first.
 *
 * @param places how many; zero if nothing was forgotten
 * @param nanos by how much later
 */
record Forgotten(int places, long nanos) {

    static final Forgotten NOTHING = new Forgotten(0, Long.MAX_VALUE);

    /** What is known if grants of another pace are forgotten, too. */
    Forgotten and(int morePlaces, long otherNanos) {
        return new Forgotten(Math.max(places, morePlaces), Math.min(nanos, otherNanos));
    }

    /** Whether any of them may have happened less than a period ago. */
    boolean mayCountWithin(long periodNanos) {
        return nanos < periodNanos;
    }
}
