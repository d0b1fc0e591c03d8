package dev.weir.redis;

/**
 * Callers that are told of permits one after the other often ask again at once: they make one question, rather than one for the first
 * and another for the others.
 */
final class Gathering {

    /** The longest that one who blocks when told keeps back others. */
    private static final long LONGEST_NANOS = 1_000_000;

    /** How many permits are being told of, to some who may ask again at once; and until when at most others are kept for them. */
    private volatile long beingTold;

    private volatile long untilNanos;

    /** Has so many permits told of. */
    void during(long permits, long nowNanos, Runnable telling) {
        untilNanos = nowNanos + LONGEST_NANOS;
        beingTold = permits;
        try {
            telling.run();
        } finally {
            beingTold = 0;
        }
    }

    /** Answers for how long a question for so many permits is to wait for others; zero if it is not. */
    long nanosLeft(long waiting, long nowNanos) {
        return waiting < beingTold ? Math.max(0, untilNanos - nowNanos) : 0;
    }
}
