package dev.weir.gate;

import dev.weir.RateLimiter;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lanes for streams with keys, with the newest element first, or with eviction of the oldest when there is no room.
 *
 * <p>The source's thread puts elements into the inbox; everything else belongs to the drain, which moves them from there into their
 * lanes.
 *
 * <p>Keys are foreign code. They are asked when an element arrives, and when the last of a key has left; if one throws then, or has
 * changed, the stream fails. Otherwise an element knows its lane, and what is held at the end is dropped without asking keys.
 *
 * <p>Every lane is being served or in one of three states: in the {@link Rounds}, with an element and no request; waiting, with an open
 * request; removed, when it holds nothing. So there are never more lanes than elements.
 */
final class HeldLanes<T> extends Lanes<T> {

    private final boolean newestFirst;
    private final boolean evicts;
    private final Consumer<T> lost;
    private final StreamFailure failure;

    private final Inbox<T> inbox;
    private final Queue<LaneRequest<T>> answered = new ConcurrentLinkedQueue<>();

    private final Map<Object, HeldLane<T>> lanes = new HashMap<>();
    private final Rounds<T> rounds = new Rounds<>();
    private final Set<Arrival<T>> oldestFirst = new LinkedHashSet<>();
    private long arrivals = 1;

    HeldLanes(int room, boolean newestFirst, boolean evicts, Consumer<T> lost, StreamFailure failure) {
        this.newestFirst = newestFirst;
        this.evicts = evicts;
        this.lost = lost;
        this.failure = failure;
        this.inbox = new Inbox<>(room, evicts, lost);
    }

    @Override
    boolean hold(T element, int cost, Object key, RateLimiter limiter) {
        return inbox.add(new Arrival<>(element, cost, key, limiter));
    }

    @Override
    boolean isFree(Object key) {
        return !lanes.containsKey(key);
    }

    @Override
    boolean isFull() {
        return inbox.isFull();
    }

    @Override
    void absorb(boolean demand) {
        for (Arrival<T> arrival; (arrival = inbox.poll()) != null; ) {
            HeldLane<T> lane = laneOf(arrival);
            if (lane == null) {
                return;
            }
            admit(arrival, lane);
            if (inbox.isOverfull()) {
                evictOldest();
            }
        }
    }

    /** Returns the lane of a key; null if that throws, which fails the stream. */
    private @Nullable HeldLane<T> laneOf(Arrival<T> arrival) {
        try {
            return lanes.computeIfAbsent(
                    arrival.key, key -> new HeldLane<>(arrival.limiter, key, newestFirst, this::taken));
        } catch (Throwable ofKey) {
            inbox.gone();
            lost.accept(arrival.element);
            failure.setBySource(ofKey);
            return null;
        }
    }

    private void admit(Arrival<T> arrival, HeldLane<T> lane) {
        if (evicts) {
            oldestFirst.add(arrival);
        }
        rounds.takeOut(lane);
        lane.add(arrival, arrivals++);
        if (lane.request != null) {
            renewIfOtherCost(lane);
        } else if (!rounds.isPutOff(lane)) {
            rounds.add(lane);
        }
    }

    /** Makes the request again if another element would go now and has another cost. Its maximum wait then also counts from now. */
    private void renewIfOtherCost(HeldLane<T> lane) {
        if (lane.requestsOtherCost()) {
            lane.withdraw();
            rounds.add(lane);
        }
    }

    private void evictOldest() {
        Arrival<T> oldest = oldestFirst.iterator().next();
        HeldLane<T> lane = Objects.requireNonNull(oldest.lane);
        T element = lane.takeOldest();
        if (lane.isEmpty()) {
            rounds.remove(lane);
            lane.withdraw();
        } else if (rounds.takeOut(lane)) {
            rounds.add(lane);
        } else {
            renewIfOtherCost(lane);
        }
        lost.accept(element);
        if (lane.isEmpty()) {
            remove(lane);
        }
    }

    /** Removes a lane that holds nothing. */
    private void remove(HeldLane<T> lane) {
        try {
            if (!lanes.remove(lane.key, lane)) {
                throw new IllegalStateException("The key of an element has changed while the element was held");
            }
        } catch (Throwable ofKey) {
            failure.setBySource(ofKey);
        }
    }

    /** Called when an arrival has left its lane. */
    private void taken(Arrival<T> arrival) {
        inbox.gone();
        if (evicts) {
            oldestFirst.remove(arrival);
        }
    }

    @Override
    @Nullable
    Lane<T> next() {
        for (LaneRequest<T> request; (request = answered.poll()) != null; ) {
            if (request.lane.request == request) {
                return request.lane;
            }
        }
        return rounds.next();
    }

    @Override
    boolean mayPutOff(Lane<T> tried, long demand) {
        return rounds.mayPutOff((HeldLane<T>) tried, open.size(), demand);
    }

    @Override
    void putOff(Lane<T> tried) {
        rounds.putOff((HeldLane<T>) tried);
    }

    @Override
    void served(Lane<T> served) {
        HeldLane<T> lane = (HeldLane<T>) served;
        if (lane.request != null) {
            lane.putOffIn = HeldLane.NEVER;
        } else if (lane.isEmpty()) {
            remove(lane);
        } else {
            rounds.tried(lane);
        }
    }

    @Override
    boolean isEmpty() {
        return inbox.size() == 0;
    }

    @Override
    void withdraw() {
        for (LaneRequest<T> request; (request = open.newest()) != null; ) {
            HeldLane<T> lane = (HeldLane<T>) request.lane;
            lane.withdraw();
            rounds.add(lane);
        }
        rounds.end();
    }

    @Override
    @Nullable
    T removeAny() {
        HeldLane<T> lane = rounds.first(); // no lane has a request at the end
        return lane == null ? removeFromInbox() : removeOldest(lane);
    }

    private T removeOldest(HeldLane<T> lane) {
        T element = lane.takeOldest();
        if (!lane.isEmpty()) {
            rounds.add(lane);
        }
        return element;
    }

    private @Nullable T removeFromInbox() {
        lanes.clear();
        Arrival<T> arrival = inbox.poll();
        if (arrival == null) {
            return null;
        }
        inbox.gone();
        return arrival.element;
    }

    @Override
    int size() {
        return inbox.size();
    }

    @Override
    void answered(LaneRequest<T> request) {
        answered.add(request);
    }
}
