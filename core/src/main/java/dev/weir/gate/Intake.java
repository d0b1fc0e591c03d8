package dev.weir.gate;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many elements the source is asked for, and when. Touched only inside the drain, except for {@link #skipped}.
 *
 * <p>With a read-ahead of one the source is asked only when there is demand, so that nothing is taken from it that nobody
 * asked for. A longer read-ahead is asked for at once and refilled when three quarters of it have left; where one key may
 * not delay another, also as soon as everything asked for has arrived.
 */
final class Intake {

    private final int prefetch;
    private final int batch;
    private final boolean eager;
    private final AtomicInteger skipped = new AtomicInteger();
    private int gone;
    private boolean closed;

    private Intake(int prefetch, boolean eager) {
        this.prefetch = prefetch;
        this.batch = prefetch - (prefetch >> 2);
        this.eager = eager;
        this.gone = prefetch == 1 ? 1 : 0;
    }

    static Intake ahead(int prefetch, boolean eager) {
        return new Intake(prefetch, eager);
    }

    /** For sources that are not asked again: they send everything, or are pulled. */
    static Intake once() {
        return new Intake(0, false);
    }

    /** The source is not to be asked at all. Before the first element. */
    void close() {
        closed = true;
    }

    /** How many to ask for when the stream begins. */
    long initially() {
        return prefetch == 0 ? Long.MAX_VALUE : prefetch == 1 ? 0 : prefetch;
    }

    /** An element has left: it was passed on or dropped. */
    void gone() {
        gone++;
    }

    /** An element was dropped before it got into a lane. Upstream's thread. */
    void skipped() {
        skipped.incrementAndGet();
    }

    /** Whether so many have left that it is time to ask for more than one. */
    boolean isShort() {
        return prefetch > 1 && !closed && gone >= batch;
    }

    /** How many to ask for now. They count as asked for. */
    long next(boolean demand, int held) {
        if (prefetch == 0 || closed) {
            return 0;
        }
        if (skipped.get() != 0) {
            gone += skipped.getAndSet(0);
        }
        if (gone == 0 || !isDue(demand, held)) {
            return 0;
        }
        int asked = Math.min(gone, prefetch);
        gone = 0;
        return asked;
    }

    private boolean isDue(boolean demand, int held) {
        if (prefetch == 1) {
            return demand;
        }
        return gone >= batch || (eager && held + gone >= prefetch);
    }
}
