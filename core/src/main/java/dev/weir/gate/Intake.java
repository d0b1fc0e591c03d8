package dev.weir.gate;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests elements from the source: decides how many, and when. Used only inside the drain, except for {@link #skipped}.
 *
 * <p>With a read-ahead of one, the source is asked only when there is demand, so that no element is taken from it without demand.
 * A longer read-ahead is requested at once and refilled when three quarters of it have left; if one key may not delay another,
 * also as soon as everything requested has arrived.
 */
final class Intake {

    /** In place of a read-ahead: everything is requested when the stream begins, and nothing after that. */
    private static final int EVERYTHING = 0;

    /** The read-ahead of one. */
    private static final int ON_DEMAND = 1;

    private final StreamSource<?> source;
    private final StreamFailure failure;
    private final int prefetch;
    private final int batch;
    private final boolean eager;
    private final AtomicInteger skipped = new AtomicInteger();
    private int gone;
    private boolean pulled;

    private Intake(StreamSource<?> source, StreamFailure failure, int prefetch, boolean eager) {
        this.source = source;
        this.failure = failure;
        this.prefetch = prefetch;
        this.batch = prefetch - (prefetch >> 2);
        this.eager = eager;
        this.gone = prefetch == ON_DEMAND ? 1 : 0;
    }

    static Intake ahead(StreamSource<?> source, StreamFailure failure, int prefetch, boolean eager) {
        return new Intake(source, failure, prefetch, eager);
    }

    /** For sources that are not asked again: they send everything. */
    static Intake once(StreamSource<?> source, StreamFailure failure) {
        return new Intake(source, failure, EVERYTHING, false);
    }

    /** Elements are pulled from the source from now on. Called before the first element. */
    void startPulling() {
        pulled = true;
    }

    /** Whether elements are pulled from the source, which then receives no requests. Any thread. */
    boolean isPulled() {
        return pulled;
    }

    /** Returns how many elements to request when the stream begins. */
    long initially() {
        if (prefetch == EVERYTHING) {
            return Long.MAX_VALUE;
        }
        return prefetch == ON_DEMAND ? 0 : prefetch;
    }

    /** An element has left: it was delivered or dropped. */
    void gone() {
        gone++;
    }

    /** An element was dropped before it got into a lane. Called on the source's thread. */
    void skipped() {
        skipped.incrementAndGet();
    }

    /** Whether a longer read-ahead is due for a refill. */
    boolean isShort() {
        return prefetch > ON_DEMAND && !pulled && gone >= batch;
    }

    /**
     * Requests as many elements as are due. If that throws, it is the source that has thrown, as what it sends meanwhile is held; what
     * is fatal is rethrown.
     */
    void refill(boolean demand, int held) {
        if (source.isDone() || failure.pending() != null) {
            return;
        }
        long elements = next(demand, held);
        if (elements > 0) {
            try {
                source.request(elements);
            } catch (Throwable thrown) {
                failure.setBySource(thrown);
            }
        }
    }

    /** Returns how many elements to request now. They then count as requested. */
    private long next(boolean demand, int held) {
        if (prefetch == EVERYTHING || pulled) {
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
        if (prefetch == ON_DEMAND) {
            return demand;
        }
        return gone >= batch || (eager && held + gone >= prefetch);
    }
}
