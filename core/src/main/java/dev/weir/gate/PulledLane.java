package dev.weir.gate;

import dev.weir.RateLimiter;
import org.jspecify.annotations.Nullable;

/** The lane of a fused source: at most one element, taken from the source's own queue when there is demand for it. */
final class PulledLane<T> extends Lane<T> {

    private final PulledSource<T> source;
    private final Losses<T> losses;
    private @Nullable T head;
    private boolean exhausted;

    PulledLane(RateLimiter limiter, PulledSource<T> source, Losses<T> losses) {
        super(limiter);
        this.source = source;
        this.losses = losses;
    }

    /** Finds the next element, if it may, or that there will be none. */
    void pull(boolean demand) {
        if (head != null || exhausted) {
            return;
        }
        try {
            if (demand || source.isEmpty()) { // who finds the end by polling lets the source close what it has opened
                head = source.poll();
                exhausted = head == null;
            }
        } catch (Throwable failure) {
            exhausted = true;
            losses.failPull(failure);
        }
    }

    /** Nothing is pulled any more. */
    void letGo() {
        exhausted = true;
        try {
            source.clear();
        } catch (Throwable failure) {
            losses.tellDropped(failure);
        }
    }

    boolean isExhausted() {
        return exhausted;
    }

    boolean isHolding() {
        return head != null;
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
