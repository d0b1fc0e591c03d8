package dev.weir.gate;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Arrivals on their way from the source's thread to their lanes, and the room for all that is held, here and there.
 *
 * <p>The source's thread puts them into a box, and the drain takes them out. The box is handed over by atomic exchange: the thread that
 * took it out of its reference owns it until it is put back. A thread that finds it missing either begins a new one (the source's) or
 * leaves (the one in the drain), as the source's thread is about to enter the drain anyway.
 *
 * <p>The oldest element is evicted by the drain. Only while the drain is busy downstream and the box alone exceeds the room, the
 * source's thread evicts the oldest element of the box, so that twice the room is not exceeded; or three times, while it tells of
 * those evicted one by one.
 */
final class Inbox<T> {

    private final int room;
    private final boolean evicts;
    private final Consumer<T> evicted;

    private final AtomicReference<@Nullable ArrayDeque<Arrival<T>>> box = new AtomicReference<>();
    private final AtomicInteger size = new AtomicInteger();

    /** The box that the drain has taken out, until it is empty. */
    private @Nullable ArrayDeque<Arrival<T>> takenOut;

    /** How many of those held have left the inbox. */
    private int absorbed;

    Inbox(int room, boolean evicts, Consumer<T> evicted) {
        this.room = room;
        this.evicts = evicts;
        this.evicted = evicted;
    }

    /** Adds an arrival; returns false if there is no room. On the source's thread. */
    boolean add(Arrival<T> arrival) {
        if (!evicts && isFull()) {
            return false;
        }
        size.incrementAndGet();
        ArrayDeque<Arrival<T>> mine = box.getAndSet(null);
        if (mine == null) {
            mine = new ArrayDeque<>();
        }
        mine.add(arrival);
        Arrival<T> victim = evicts && mine.size() > room ? mine.poll() : null;
        box.set(mine);
        if (victim != null) {
            size.decrementAndGet();
            evicted.accept(victim.element);
        }
        return true;
    }

    /** Whether as many are held as there is room for. Any thread. */
    boolean isFull() {
        return size.get() >= room;
    }

    /** The number of elements held, here and in lanes. Any thread. */
    int size() {
        return size.get();
    }

    /** Takes out the oldest arrival; null if there is none, or the source's thread is about to enter the drain. In the drain. */
    @Nullable
    Arrival<T> poll() {
        if (takenOut == null && size.get() != absorbed) {
            takenOut = box.getAndSet(null);
        }
        if (takenOut == null) {
            return null;
        }
        Arrival<T> oldest = takenOut.poll();
        if (oldest == null) {
            box.compareAndSet(null, takenOut);
            takenOut = null;
        } else {
            absorbed++;
        }
        return oldest;
    }

    /** Whether one of those that have left the inbox is to be evicted. In the drain. */
    boolean isOverfull() {
        return evicts && absorbed > room;
    }

    /** One of those that have left the inbox is no longer held. In the drain. */
    void gone() {
        absorbed--;
        size.decrementAndGet();
    }
}
