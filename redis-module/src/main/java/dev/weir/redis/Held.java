package dev.weir.redis;

/**
 * What this node holds of a limit that gets permits back when leases are closed, and whether the store may have it on record as a
 * holder. Of any other limit nothing is counted, as nobody has to know. Immutable.
 *
 * @param isCounted whether anything is
 * @param permits how many permits this node holds: taken, in hand, or booked
 * @param calls how many requests hold them
 * @param isOnRecord whether the store may have this node on record: at its latest answer, or by a question since
 * @param wasOnRecord the same before the latest question
 */
record Held(boolean isCounted, long permits, long calls, boolean isOnRecord, boolean wasOnRecord) {

    static final Held NOTHING = new Held(true, 0, 0, false, false);

    static final Held NOT_COUNTED = new Held(false, 0, 0, false, false);

    static Held nothingOf(FleetTerms terms) {
        return terms.returnsOnRelease() ? NOTHING : NOT_COUNTED;
    }

    /** Returns whether this node has to report leases in use, or permits for them, to the store. */
    boolean isAny() {
        return permits > 0 || calls > 0;
    }

    /** Adds permits and requests, or subtracts. */
    Held with(long morePermits, long moreCalls) {
        return isCounted
                ? new Held(
                        true,
                        Math.max(0, permits + morePermits),
                        Math.max(0, calls + moreCalls),
                        isOnRecord,
                        wasOnRecord)
                : this;
    }

    /** Adds the requests that what is in hand now is for, and subtracts those that it was for before. */
    Held withHandChanged(Hand before, Hand now) {
        return isCounted ? with(0, now.calls() - before.calls()) : this;
    }

    Held withNothing() {
        return with(-permits, -calls);
    }

    /** Returns this after a question, by which the store may have come to know of it. */
    Held asked(Question question) {
        return isCounted
                ? new Held(true, permits, calls, isOnRecord || question.one() > 0 || isAny(), isOnRecord)
                : this;
    }

    /** Returns this as it was before the latest question, which was not sent. */
    Held notAsked() {
        return new Held(isCounted, permits, calls, wasOnRecord, wasOnRecord);
    }

    /** Returns this after an answer that brought so many permits. */
    Held answered(Question question, long gained) {
        boolean isOnRecordNow = gained > 0 || question.heldPermits() > 0 || question.heldCalls() > 0;
        return isCounted ? new Held(true, permits + gained, calls, isOnRecordNow, wasOnRecord) : this;
    }
}
