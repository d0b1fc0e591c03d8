package dev.weir.gate;

import dev.weir.RateLimiter;
import org.jspecify.annotations.Nullable;

/** The lane of a fused source: at most one element, taken from the source's own queue when there is demand for it. */
final class PulledLane<T> extends Lane<T> {

    private final PulledSource<T> source;
    private final StreamFailure failure;
    private @Nullable T head;
    private boolean exhausted;

    PulledLane(RateLimiter limiter, PulledSource<T> source, StreamFailure failure) {
        super(limiter);
        this.source = source;
        this.failure = failure;
    }

    /** Finds the next element, if allowed, or finds that there will be none. */
    void pull(boolean demand) {
        if (head != null || exhausted) {
            return;
        }
        try {
            if (demand || source.isEmpty()) { // polling at the end lets the source close its resources
                head = source.poll();
                exhausted = head == null;
            }
        } catch (Throwable thrown) {
            exhausted = true;
            failure.setBySource(thrown);
        }
    }

    /** Stops pulling, and clears the source's queue. */
    void letGo() {
        exhausted = true;
        try {
            source.clear();
        } catch (Throwable thrown) {
            failure.tellDropped(thrown);
        }
    }

    boolean isExhausted() {
        return exhausted;
    }

    @Override
    boolean isEmpty() {
        return head == null;
    }

    @Override
    boolean findNext() {
        pull(true);
        return head != null;
    }

    @Override
    int cost() {
        return 1;
    }

    @Override
    @SuppressWarnings("NullAway") // not empty, by contract
    T take() {
        T element = head;
        head = null;
        return element;
    }
}
