package dev.weir.gate;

import dev.weir.RateLimiter;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A lane in order of arrival: a linked queue between one thread that offers and one at a time that takes.
 *
 * <p>The links form one chain: nodes that were taken, the last of them ({@link #gone}), nodes that are held, the
 * {@link #newest}. The offering thread makes its next node of the oldest one that was taken, so a stream that holds no more
 * than it held before allocates nothing. A node is reused only once {@code gone} has been seen beyond it, hence after the
 * taker's last look at it.
 */
final class FifoLane<T> extends Lane<T> {

    private final int room;

    // The offering thread's.
    private Node<T> newest = new Node<>();
    private Node<T> oldestTaken = newest;
    private Node<T> goneAsSeen = newest;
    private long offered;

    // The taker's, read by the offering thread.
    private final AtomicReference<Node<T>> gone = new AtomicReference<>(newest);
    private final AtomicLong taken = new AtomicLong();

    FifoLane(RateLimiter limiter, int room) {
        super(limiter);
        this.room = room;
    }

    /** Upstream's thread: false if there is no room. */
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

    /** Any thread; a moment old. */
    int size() {
        return (int) Math.max(0, offered - taken.get());
    }

    /** Refers to the next younger node. */
    private static final class Node<T> extends AtomicReference<Node<T>> {

        private static final long serialVersionUID = 1L;

        transient @Nullable T element;
        transient int cost;
    }
}
