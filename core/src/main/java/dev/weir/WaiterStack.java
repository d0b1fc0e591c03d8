package dev.weir;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A lock-free stack of waiters on their way into the drain: pushed by any thread, all taken at once by the drain. Linked through
 * {@link Waiter#onTheWay}, so that a waiter can be in one such stack at a time.
 *
 * <p>A stack (R. K. Treiber, IBM RJ 5118, 1986), as its push is one compare-and-set; since all are taken at once, there is no ABA
 * problem.
 */
final class WaiterStack {

    private final AtomicReference<@Nullable Waiter> top = new AtomicReference<>();

    void push(Waiter waiter) {
        Waiter below;
        do {
            below = top.get();
            waiter.onTheWay = below;
        } while (!top.compareAndSet(below, waiter));
    }

    boolean isEmpty() {
        return top.get() == null;
    }

    /** Removes all waiters and returns them, linked in the order in which they were pushed. */
    @Nullable
    Waiter takeAll() {
        if (isEmpty()) {
            return null;
        }
        Waiter pushed = top.getAndSet(null);
        Waiter inOrder = null;
        while (pushed != null) {
            Waiter below = pushed.onTheWay;
            pushed.onTheWay = inOrder;
            inOrder = pushed;
            pushed = below;
        }
        return inOrder;
    }
}
