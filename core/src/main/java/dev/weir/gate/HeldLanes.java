package dev.weir.gate;

import dev.weir.RateLimiter;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
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
 * <p>Every lane is being served or in one of four states: {@code hungry}, with an element and no request; {@code putOff}, the same,
 * but tried in vain; waiting, with an open request; removed, when it holds nothing. So there are never more lanes than elements.
 *
 * <p>Requests are withdrawn when demand ends, so if demand comes one by one, a request for an exhausted key is usually withdrawn
 * before it is answered. So a lane without permits makes no request yet, but is put off, if the waiting lanes and this one could use
 * up the demand. A round tries each hungry lane once, then those put off earlier; only a lane tried again in the same round makes a
 * request. When demand ends, so does the round: the {@link #RETRIED} lanes put off longest become hungry, the others stay. So what an
 * element costs does not grow with the number of exhausted keys, and a permit that has come back is found after as many elements as
 * it takes to try all lanes.
 */
final class HeldLanes<T> extends Lanes<T> {

    private static final int RETRIED = 16;
    private static final int NOT_COUNTED = -1;

    private final boolean newestFirst;
    private final boolean evicts;
    private final Consumer<T> lost;
    private final StreamFailure failure;

    private final Inbox<T> inbox;
    private final Queue<LaneRequest<T>> answered = new ConcurrentLinkedQueue<>();

    private final Map<Object, HeldLane<T>> lanes = new HashMap<>();
    private final TreeSet<HeldLane<T>> hungry = new TreeSet<>(HeldLane.BY_RANK);
    private final Set<HeldLane<T>> putOff = new LinkedHashSet<>();
    private final Set<Arrival<T>> oldestFirst = new LinkedHashSet<>();

    /** The number of the current round, in which no lane is put off twice. */
    private long round = 1;

    /** How many hungry lanes may go in this round before those that were put off. */
    private int stillToTry = NOT_COUNTED;

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
        hungry.remove(lane);
        lane.add(arrival, arrivals++);
        if (lane.request != null) {
            renewIfOtherCost(lane);
        } else if (!putOff.contains(lane)) {
            hungry.add(lane);
        }
    }

    /** Makes the request again if another element would go now and has another cost. Its maximum wait then also counts from now. */
    private void renewIfOtherCost(HeldLane<T> lane) {
        if (lane.requestsOtherCost()) {
            lane.withdraw();
            hungry.add(lane.ranked());
        }
    }

    private void evictOldest() {
        Arrival<T> oldest = oldestFirst.iterator().next();
        HeldLane<T> lane = Objects.requireNonNull(oldest.lane);
        T element = lane.takeOldest();
        if (lane.isEmpty()) {
            hungry.remove(lane);
            putOff.remove(lane);
            lane.withdraw();
        } else if (hungry.remove(lane)) {
            hungry.add(lane.ranked());
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
        return nextWithoutRequest();
    }

    private @Nullable HeldLane<T> nextWithoutRequest() {
        if (putOff.isEmpty()) {
            stillToTry = NOT_COUNTED;
            return hungry.pollFirst();
        }
        if (stillToTry == NOT_COUNTED) {
            stillToTry = hungry.size();
        }
        if (stillToTry > 0 && !hungry.isEmpty()) {
            stillToTry--;
            return hungry.pollFirst();
        }
        return longestPutOff();
    }

    private HeldLane<T> longestPutOff() {
        HeldLane<T> lane = putOff.iterator().next();
        putOff.remove(lane);
        return lane;
    }

    @Override
    boolean mayPutOff(Lane<T> tried, long demand) {
        boolean isFirstTime = ((HeldLane<T>) tried).putOffIn != round;
        boolean hasOthers = !hungry.isEmpty() || !putOff.isEmpty();
        return isFirstTime && hasOthers && open.size() >= demand - 1;
    }

    @Override
    void putOff(Lane<T> tried) {
        ((HeldLane<T>) tried).putOffIn = round;
    }

    @Override
    void served(Lane<T> served) {
        HeldLane<T> lane = (HeldLane<T>) served;
        if (lane.request != null) {
            lane.putOffIn = HeldLane.NEVER;
        } else if (lane.isEmpty()) {
            remove(lane);
        } else if (lane.putOffIn == round) {
            putOff.add(lane);
        } else {
            hungry.add(lane.ranked());
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
            hungry.add(lane.ranked());
        }
        if (stillToTry != NOT_COUNTED) { // else no lane has been tried since the round began
            beginRound();
        }
    }

    private void beginRound() {
        round++;
        stillToTry = NOT_COUNTED;
        for (int lane = 0; lane < RETRIED && !putOff.isEmpty(); lane++) {
            hungry.add(longestPutOff().ranked());
        }
    }

    @Override
    @Nullable
    T removeAny() {
        while (!putOff.isEmpty()) {
            hungry.add(longestPutOff().ranked());
        }
        HeldLane<T> lane = hungry.pollFirst(); // no lane has a request at the end
        return lane == null ? removeFromInbox() : removeOldest(lane);
    }

    private T removeOldest(HeldLane<T> lane) {
        T element = lane.takeOldest();
        if (!lane.isEmpty()) {
            hungry.add(lane.ranked());
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
