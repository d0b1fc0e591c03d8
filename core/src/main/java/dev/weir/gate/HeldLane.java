package dev.weir.gate;

import dev.weir.RateLimiter;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The lane of one key, with its rank among the lanes that have no request yet. */
final class HeldLane<T> extends Lane<T> {

    /** Ranks are unique, as each is the number of an arrival. */
    static final Comparator<HeldLane<?>> BY_RANK = Comparator.comparingLong(lane -> lane.rank);

    static final long NEVER = 0;

    final Object key;

    /** The last round in which its element was tried in vain and its request put off. */
    long putOffIn = NEVER;

    private final boolean newestFirst;
    private final Consumer<Arrival<T>> taken;
    private final ArrayDeque<Arrival<T>> arrivals = new ArrayDeque<>(2);
    private long rank;

    /** The arrival for which the latest request was made; it may have gone since. */
    private @Nullable Arrival<T> requestedFor;

    HeldLane(RateLimiter limiter, Object key, boolean newestFirst, Consumer<Arrival<T>> taken) {
        super(limiter);
        this.key = key;
        this.newestFirst = newestFirst;
        this.taken = taken;
    }

    /** Adds an arrival. */
    void add(Arrival<T> arrival, long number) {
        arrival.number = number;
        arrival.lane = this;
        arrivals.add(arrival);
    }

    /** Sets the rank according to the element that would go now. Not while the lane is in a set ordered by rank, nor empty. */
    HeldLane<T> ranked() {
        rank = newestFirst ? -arrivals.getLast().number : arrivals.getFirst().number;
        return this;
    }

    @Override
    boolean isEmpty() {
        return arrivals.isEmpty();
    }

    @Override
    int cost() {
        return head().cost;
    }

    @Override
    void requested(LaneRequest<T> request) {
        super.requested(request);
        requestedFor = head();
    }

    private Arrival<T> head() {
        return newestFirst ? arrivals.getLast() : arrivals.getFirst();
    }

    @Override
    T take() {
        putOffIn = NEVER;
        return gone(newestFirst ? arrivals.removeLast() : arrivals.removeFirst());
    }

    @Override
    @Nullable
    T takeRequested() {
        Arrival<T> found = requestedFor;
        requestedFor = null;
        putOffIn = NEVER;
        if (found == null || arrivals.isEmpty() || found.number < arrivals.getFirst().number) {
            return null;
        }
        // From the end where it is, or only those that came since are before it: a lane may be long.
        boolean removed = newestFirst ? arrivals.removeLastOccurrence(found) : arrivals.removeFirstOccurrence(found);
        return removed ? gone(found) : null;
    }

    T takeOldest() {
        return gone(arrivals.removeFirst());
    }

    private T gone(Arrival<T> arrival) {
        taken.accept(arrival);
        return arrival.element;
    }
}
