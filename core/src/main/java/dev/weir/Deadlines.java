package dev.weir;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The requests that may not wait for ever, the one that runs out of time first in front. Used inside the drain only.
 *
 * <p>A settled request is not searched for but left in place until it comes to the front, or until half of all are settled,
 * when they are swept out together; so removal costs a constant on average and at most as many dead as live ones are kept.
 */
final class Deadlines {

    private static final int FEW = 16;

    private final PriorityQueue<Waiter> waiters = new PriorityQueue<>(Deadlines::compare);
    private int added;
    private int settled;

    /** Who came first is told first. */
    private static int compare(Waiter a, Waiter b) {
        int byTime = Long.signum(a.deadlineNanos() - b.deadlineNanos());
        return byTime == 0 ? Integer.signum(a.number - b.number) : byTime;
    }

    void add(Waiter waiter) {
        waiter.number = added++;
        waiters.add(waiter);
    }

    /** Takes note that a waiter that was added has been settled. */
    void settled() {
        settled++;
        if (settled > FEW && settled > waiters.size() / 2) {
            waiters.removeIf(Waiter::isSettled);
            settled = 0;
        }
    }

    /** Returns the first that has not been settled. */
    @Nullable
    Waiter first() {
        Waiter first = waiters.peek();
        while (first != null && first.isSettled()) {
            waiters.remove();
            settled = Math.max(0, settled - 1);
            first = waiters.peek();
        }
        return first;
    }
}
