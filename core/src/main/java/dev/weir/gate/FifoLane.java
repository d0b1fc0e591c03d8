package dev.weir.gate;

import dev.weir.RateLimiter;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A lane in order of arrival: a linked queue between the source's thread and, at any time, one taking thread.
 *
 * <p>The links form one chain: nodes that were taken, the last of them ({@link #gone}), nodes that are held, the {@link #newest}.
 * The source's thread reuses the oldest taken node as its next node, so a stream that holds no more than it held before allocates
 * nothing. A node is reused only once {@code gone} has been seen beyond it, hence after the taker's last access to it.
 */
final class FifoLane<T> extends Lane<T> {

    private final int room;

    // Used by the source's thread only.
    private Node<T> newest = new Node<>();
    private Node<T> oldestTaken = newest;
    private Node<T> goneAsSeen = newest;
    private long offered;

    // Written by the taker, read by the source's thread.
    private final AtomicReference<Node<T>> gone = new AtomicReference<>(newest);
    private final AtomicLong taken = new AtomicLong();

    FifoLane(RateLimiter limiter, int room) {
        super(limiter);
        this.room = room;
    }

    /** Adds an element; returns false if there is no room. Called on the source's thread. */
    boolean offer(T element, int cost) {
        if (offered - taken.getAcquire() >= room) {
            return false;
        }
        Node<T> node = unusedNode();
        node.element = element;
        node.cost = cost;
        offered++;
        newest.setRelease(node);
        newest = node;
        return true;
    }

    private Node<T> unusedNode() {
        if (oldestTaken == goneAsSeen) {
            goneAsSeen = gone.getAcquire();
            if (oldestTaken == goneAsSeen) {
                return new Node<>();
            }
        }
        Node<T> node = oldestTaken;
        oldestTaken = node.getPlain();
        node.setPlain(null);
        return node;
    }

    @Override
    boolean isEmpty() {
        return gone.getPlain().getAcquire() == null;
    }

    @Override
    boolean findNext() {
        return !isEmpty();
    }

    @Override
    int cost() {
        return gone.getPlain().getAcquire().cost;
    }

    @Override
    T take() {
        Node<T> node = gone.getPlain().getAcquire();
        T element = Objects.requireNonNull(node.element);
        node.element = null;
        gone.setRelease(node);
        taken.setRelease(taken.getPlain() + 1);
        return element;
    }

    /** A snapshot. Any thread. */
    int size() {
        return (int) Math.max(0, offered - taken.get());
    }

    /** A node, which refers to the next younger node. */
    private static final class Node<T> extends AtomicReference<Node<T>> {

        private static final long serialVersionUID = 1L;

        transient @Nullable T element;
        transient int cost;
    }
}
