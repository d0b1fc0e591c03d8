package dev.weir;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The waiting requests that have a maximum wait, earliest deadline first. Used inside the drain only.
 *
 * <p>Nearly always all have the same maximum wait, so each expires after those before it, and a FIFO queue is enough. One that
 * expires earlier, or comes here after one that was made later, goes to a heap.
 *
 * <p>A settled request is not searched for. It stays until it comes to the front, or until more than half of all are settled,
 * when they are all removed together. So removal takes amortized constant time, and at most as many settled requests as live ones
 * are kept, or a few.
 */
final class Deadlines {

    private static final int FEW = 16;

    private final ArrayDeque<Waiter> inLine = new ArrayDeque<>(1);
    private @Nullable PriorityQueue<Waiter> others;
    private int settled;

    /** Equal deadlines are ordered by when the requests were made. */
    private static int compare(Waiter a, Waiter b) {
        int byTime = Long.signum(a.deadlineNanos() - b.deadlineNanos());
        return byTime == 0 ? Integer.signum(a.number - b.number) : byTime;
    }

    void add(Waiter waiter) {
        Waiter last = inLine.peekLast();
        if (last == null || compare(last, waiter) < 0) {
            inLine.addLast(waiter);
        } else {
            heap().add(waiter);
        }
    }

    private PriorityQueue<Waiter> heap() {
        PriorityQueue<Waiter> heap = others;
        if (heap == null) {
            heap = new PriorityQueue<>(Deadlines::compare);
            others = heap;
        }
        return heap;
    }

    /** Records that a waiter that was added has been settled. */
    void settled() {
        settled++;
        if (settled > FEW && settled > size() / 2) {
            inLine.removeIf(Waiter::isSettled);
            if (others != null) {
                others.removeIf(Waiter::isSettled);
            }
            settled = 0;
        }
    }

    private int size() {
        return inLine.size() + (others == null ? 0 : others.size());
    }

    /** Returns the first that has not been settled. */
    @Nullable
    Waiter first() {
        Waiter first = firstOf(inLine);
        Waiter other = others == null ? null : firstOf(others);
        return first == null || (other != null && compare(other, first) < 0) ? other : first;
    }

    private @Nullable Waiter firstOf(Queue<Waiter> waiters) {
        Waiter first = waiters.peek();
        while (first != null && first.isSettled()) {
            waiters.remove();
            settled = Math.max(0, settled - 1);
            first = waiters.peek();
        }
        return first;
    }
}
